import { ConfigError } from "#core/config/config.ts";
import { codeOf, isDenied } from "#core/database/failures.ts";
import { UnknownSchema } from "#core/database/migrations.ts";
import { WrongServer } from "#core/database/server-version.ts";
import { UntrustedSchema } from "#core/database/trusted-schema.ts";
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
  ECONNRESET:
    "The server closed the connection. Check that `DATABASE_URL` leads to PostgreSQL, whose port is usually 5432, and run the same command again.",
  EADDRINUSE:
    "Another program listens on this port. Stop it, or choose other ports with `--port` and `--private-port`, or with `PORT` and `PRIVATE_PORT`.",
  EADDRNOTAVAIL: "This machine does not have that address. Choose another one with `HOST` or `PRIVATE_HOST`.",
  EACCES: "Ports below 1024 need special privileges. Choose another one with `PORT`.",
  "28P01": "Check the user and the password in `DATABASE_URL`.",
  "28000": "Check the user in `DATABASE_URL`, and pg_hba.conf on the server.",
  "3D000":
    "Correct the name in `DATABASE_URL`, create the database with `createdb`, or, if it was lost, restore a backup: docs/OPERATING.md.",
  "42501":
    "Run the command with the role that owns the tables in `DATABASE_URL`. For the role of `serve`, run as that owner: credence migrate --serve-role NAME",
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
    /permission denied for database/,
    "Correct the user in `DATABASE_URL`, or run as the owner of the database: grant connect on database NAME to ROLE",
  ],
  [
    /permission denied for schema/,
    "Run the command with the role that owns the tables in `DATABASE_URL`. If it is that role, run as the owner of the database: grant usage, create on schema public to ROLE",
  ],
  [
    /permission denied to create database/,
    "Create the database yourself, or allow the role to do it: alter role NAME createdb.",
  ],
  [/must be owner/, "Set `DATABASE_URL` to the role that owns the tables."],
  [/connection timeout/, "No PostgreSQL server answered in time. Check the host and the port in `DATABASE_URL`."],
  [
    /terminating connection|not queryable|connection terminated/i,
    "The connection to PostgreSQL was lost. Committed changes are kept; run the same command again. If this repeats, check the address in `DATABASE_URL`.",
  ],
  [/timeout/, "No PostgreSQL server answered in time. Check the host and the port in `DATABASE_URL`."],
  [/no PostgreSQL user name/, "Add the user to `DATABASE_URL`: postgres://user:password@host:5432/database."],
  [
    /does not support SSL/,
    "The server does not offer TLS. Remove `sslmode` from `DATABASE_URL`, or enable TLS on the server.",
  ],
];

/** The driver's words for the greeting of a server such as MySQL. */
const OTHER_PROTOCOL = /received invalid response|received unexpected \w+ message from backend/i;
const NOT_POSTGRESQL = "The server at the address in `DATABASE_URL` is not PostgreSQL: its response has another form.";
const CHECK_PORT = "Check the host and the port. PostgreSQL's is usually 5432.";

/** The driver's words for a missing password. */
const NO_PASSWORD = /client password must be a string/;
const PASSWORD_REQUIRED = "The server requires a password, and `DATABASE_URL` has none.";
const ADD_PASSWORD = "Add it to `DATABASE_URL`, or use a role that needs none.";

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
const FAILURES = [SnapshotChanged, UnknownSchema, WrongServer] as const;

/** Whether the stack of an error says nothing more to the operator. */
export const saysItself = (error: unknown): boolean =>
  [Failure, SnapshotRefused, UntrustedSchema, ...FAILURES].some((known) => error instanceof known);

/** Converts any thrown value to a failure with advice. */
export function explain(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof SnapshotRefused) return new Failure(error.message, error.advice, EXIT.refused, { cause: error });
  if (FAILURES.some((known) => error instanceof known)) {
    const { message, advice } = error as InstanceType<(typeof FAILURES)[number]>;
    return new Failure(message, advice, EXIT.failed, { cause: error });
  }
  if (error instanceof UntrustedSchema)
    return new Failure(error.message, error.advice, EXIT.attention, { cause: error });
  if (error instanceof ConfigError) {
    return new Failure(
      `The configuration is invalid:\n${error.problems.map((problem) => `  ${problem}`).join("\n")}`,
      "docs/reference/settings.md lists every variable.",
      EXIT.usage,
    );
  }
  // A connection to a name with several addresses fails with one error per address.
  const cause = error instanceof AggregateError ? error.errors[0] : error;
  const [message = ""] = (cause instanceof Error ? cause.message : String(cause)).split("\n");
  if (NO_PASSWORD.test(message)) return new Failure(PASSWORD_REQUIRED, ADD_PASSWORD, EXIT.failed, { cause });
  if (OTHER_PROTOCOL.test(message)) return new Failure(NOT_POSTGRESQL, CHECK_PORT, EXIT.failed, { cause });
  // Another attempt with the same role cannot succeed, so units do not retry it.
  const exitCode = isDenied(cause) ? EXIT.usage : EXIT.failed;
  return new Failure(message, adviceFor(cause, message), exitCode, { cause });
}
