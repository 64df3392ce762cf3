import { ConfigError } from "#core/config/config.ts";
import { codeOf } from "#core/database/failures.ts";
import { UnreleasedSchema } from "#core/database/migrations.ts";
import { ProgramTooOld } from "#core/database/required-program.ts";
import { WrongServer } from "#core/database/wrong-server.ts";
import { SnapshotChanged, SnapshotRefused } from "#core/files/refused.ts";
import { EXIT } from "./exit-codes.ts";

/** A failure for the operator: what happened, and what to do next. */
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

const NOT_RUNNING = "Check that PostgreSQL is running at the address in `DATABASE_URL`.";

/** By error code of Node or PostgreSQL. */
const ADVICE: Record<string, string> = {
  ECONNREFUSED: NOT_RUNNING,
  ENOENT: NOT_RUNNING,
  EAI_AGAIN:
    "The name server did not answer, so the host in `DATABASE_URL` has no address yet. Check the network and the name server, or try again.",
  ENOTFOUND: "The host in `DATABASE_URL` has no address. Check its spelling.",
  EADDRINUSE:
    "Another program listens on this port. Stop it, or choose other ports with `--port` and `--private-port`, or with `PORT` and `PRIVATE_PORT`.",
  EADDRNOTAVAIL: "This machine does not have that address. Choose another one with `HOST` or `PRIVATE_HOST`.",
  EACCES: "Ports below 1024 need special privileges. Choose another one with `PORT`.",
  "28P01": "Check the user and the password in `DATABASE_URL`.",
  "28000": "Check the user in `DATABASE_URL`, and pg_hba.conf on the server.",
  "3D000": "Create it with `createdb`, or correct the name in `DATABASE_URL`.",
  "42501":
    "The role in `DATABASE_URL` lacks privileges. For `serve`, grant them with `credence migrate --serve-role NAME`, run as the owner of the tables. Run all other commands as that owner.",
  "42P01": "Run `credence migrate` first.",
  "25006":
    "Let `DATABASE_URL` lead to the primary. After a failover, run the same command again when the address does.",
  "53100": "The disk of the database server is full. Free some space there, and run the same command again.",
  "53300":
    "All connections of the database server are in use. End programs that keep some, lower `DATABASE_CONNECTIONS` of the servers, or raise max_connections.",
};

/** For failures without a distinctive code. */
const ADVICE_BY_MESSAGE: [RegExp, string][] = [
  [
    /too many connections for role/,
    "The role has a limit of connections. Raise it with alter role NAME connection limit N, or lower `DATABASE_CONNECTIONS` of the servers.",
  ],
  [
    /password must be a string/,
    "The server requires a password. Add it to `DATABASE_URL`, or use a role that needs none.",
  ],
  [
    /permission denied for schema/,
    "Make the role in `DATABASE_URL` the owner of the database, or grant it CREATE on schema public.",
  ],
  [
    /permission denied to create database/,
    "Create the database yourself, or allow the role to do it: alter role NAME createdb.",
  ],
  [/must be owner/, "Set `DATABASE_URL` to the role that owns the tables."],
  [
    /terminating connection|not queryable|connection terminated/i,
    "The connection to PostgreSQL was lost. Committed changes are kept; run the same command again.",
  ],
  [/timeout/, "No PostgreSQL server answered in time. Check the host and the port in `DATABASE_URL`."],
  [/no PostgreSQL user name/, "Add the user to `DATABASE_URL`: postgres://user:password@host:5432/database."],
  [
    /does not support SSL/,
    "The server does not offer TLS. Remove `sslmode` from `DATABASE_URL`, or enable TLS on the server.",
  ],
];

/** Files and sockets fail with the same codes: this table applies to files. */
const FILE_ADVICE: Record<string, string> = {
  ENOENT: "The file or folder does not exist. Check the path.",
  EACCES: "Permission denied. Check the path and its permissions.",
  ENOTDIR: "A part of the path is a file, not a folder. Check the path.",
  EISDIR: "The path is a folder, not a file. Check the path.",
  EEXIST: "The file exists already. Choose another path.",
  EPERM: "The operation is not permitted. Choose another path.",
  EROFS: "The file system is read-only. Choose another path.",
  ENOSPC: "The disk is full. Free some space, and run the command again.",
};
const SOCKET_CALLS = ["connect", "listen", "bind", "getaddrinfo"];

function adviceFor(error: unknown, message: string): string {
  const { syscall, code } = error as NodeJS.ErrnoException;
  const isFile = syscall !== undefined && !SOCKET_CALLS.includes(syscall);
  return (
    (isFile ? FILE_ADVICE[code ?? ""] : undefined) ??
    ADVICE_BY_MESSAGE.find(([pattern]) => pattern.test(message))?.[1] ??
    ADVICE[codeOf(error) ?? ""] ??
    "Run it again with LOG_LEVEL=debug to see the stack trace."
  );
}

/** Errors that say themselves what to do. */
const FAILURES = [SnapshotChanged, ProgramTooOld, WrongServer, UnreleasedSchema] as const;

/** Converts any thrown value to a failure with advice. */
export function explain(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof SnapshotRefused) return new Failure(error.message, error.advice, EXIT.refused, { cause: error });
  if (FAILURES.some((known) => error instanceof known)) {
    const { message, advice } = error as InstanceType<(typeof FAILURES)[number]>;
    return new Failure(message, advice, EXIT.failed, { cause: error });
  }
  if (error instanceof ConfigError) {
    return new Failure(
      `The configuration is invalid:\n${error.problems.map((problem) => `  ${problem}`).join("\n")}`,
      "docs/CONFIGURATION.md lists every variable.",
      EXIT.usage,
    );
  }
  // A connection to a name with several addresses fails with one error per address.
  const cause = error instanceof AggregateError ? error.errors[0] : error;
  const [message = ""] = (cause instanceof Error ? cause.message : String(cause)).split("\n");
  return new Failure(message, adviceFor(cause, message), EXIT.failed, { cause });
}
