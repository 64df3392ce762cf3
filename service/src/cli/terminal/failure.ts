import { ConfigError } from "#config.ts";
import { SnapshotRefused } from "#snapshot/refused.ts";
import { codeOf } from "#store/engine/failures.ts";
import { EXIT } from "./exit-codes.ts";

/** A failure as a person should hear of it: what happened, and what to do next. */
export class Failure extends Error {
  override name = "Failure";
  readonly advice: string;
  readonly exitCode: number;

  constructor(message: string, advice: string, exitCode: number = EXIT.failed, options: ErrorOptions = {}) {
    super(message, options);
    this.advice = advice;
    this.exitCode = exitCode;
  }
}

const ADVICE: Record<string, string> = {
  ECONNREFUSED: "Is PostgreSQL running there? `DATABASE_URL` says where to look.",
  ENOENT: "Is PostgreSQL running there? `DATABASE_URL` says where to look.",
  ENOTFOUND: "The host in `DATABASE_URL` has no address. Check its spelling.",
  EADDRINUSE:
    "Another program listens there. Stop it, or choose other ports with `--port` and `--private-port`, or with `PORT` and `PRIVATE_PORT`.",
  EADDRNOTAVAIL: "This machine has no such address. Choose another with `HOST` or `PRIVATE_HOST`.",
  EACCES: "Ports below 1024 need special rights. Choose another with `PORT`.",
  "28P01": "Check the user and the password in `DATABASE_URL`.",
  "28000": "Check the user in `DATABASE_URL`, and pg_hba.conf on the server.",
  "3D000": "Make it with `createdb`, or correct the name in `DATABASE_URL`.",
  "42501":
    "This role lacks rights. `serve` gets them from the owner of the tables, by `credence migrate --serve-role NAME`; everything else is run as that owner.",
  "42P01": "Run `credence migrate` first.",
};

// Failures that come in words only.
const ADVICE_FOR_WORDS: [RegExp, string][] = [
  [/password must be a string/, "The server wants a password: put one into `DATABASE_URL`, or a role that needs none."],
  [
    /permission denied for schema/,
    "Let the role in `DATABASE_URL` own the database, or grant it CREATE on schema public.",
  ],
  [
    /permission denied to create database/,
    "Make the database yourself, or use a role that may: alter role NAME createdb.",
  ],
  [
    /before the first release/,
    "It cannot be migrated. Export the people with the version that made it, and import them into a new database.",
  ],
  [/must be owner/, "Use the role that owns the tables in `DATABASE_URL`."],
  [
    /terminating connection|not queryable|connection terminated/i,
    "The connection to PostgreSQL was lost. What was committed stays; run the same command again.",
  ],
  [/timeout/, "Nothing that speaks PostgreSQL answered there in time. Check the host and the port in `DATABASE_URL`."],
  [/no PostgreSQL user name/, "Name the user in `DATABASE_URL`: postgres://user:password@host:5432/database."],
  [/does not support SSL/, "The server has no TLS. Drop `sslmode` from `DATABASE_URL`, or set TLS up there."],
];

// Of files, as against sockets, which fail with the same codes.
const FILE_ADVICE: Record<string, string> = {
  ENOENT: "There is no such file or folder. Check the path.",
  EACCES: "This user may not do that there. Check the path and its rights.",
  ENOTDIR: "A part of the path is a file, not a folder. Check the path.",
  EISDIR: "That is a folder, not a file. Check the path.",
  EEXIST: "There is a file of that name. Choose another path.",
  EPERM: "That cannot be done there. Choose another path.",
  EROFS: "Nothing can be written there. Choose another path.",
  ENOSPC: "The disk is full. Make room, and run it again.",
};
const SOCKET_CALLS = ["connect", "listen", "bind", "getaddrinfo"];

/** What to do about an error, if we know anything about it. */
function adviceFor(error: unknown, message: string): string {
  const { syscall, code } = error as NodeJS.ErrnoException;
  const forFile = FILE_ADVICE[code ?? ""];
  if (syscall !== undefined && !SOCKET_CALLS.includes(syscall) && forFile !== undefined) return forFile;
  const forWords = ADVICE_FOR_WORDS.find(([pattern]) => pattern.test(message))?.[1];
  const forCode = ADVICE[codeOf(error) ?? ""];
  return forWords ?? forCode ?? "Run it again with LOG_LEVEL=debug to see where it comes from.";
}

/** Turns anything thrown into a failure with advice. */
export function explain(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof SnapshotRefused) return new Failure(error.message, error.advice, EXIT.refused, { cause: error });
  if (error instanceof ConfigError) {
    return new Failure(
      `The configuration is wrong:\n${error.problems.map((problem) => `  ${problem}`).join("\n")}`,
      "docs/CONFIGURATION.md lists every variable.",
      EXIT.usage,
    );
  }
  // Connecting to a name with several addresses fails with all their errors at once.
  const cause = error instanceof AggregateError ? error.errors[0] : error;
  const [message = ""] = (cause instanceof Error ? cause.message : String(cause)).split("\n");
  return new Failure(message, adviceFor(cause, message), EXIT.failed, { cause });
}
