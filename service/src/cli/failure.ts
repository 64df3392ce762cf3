import { ConfigError } from "#config.ts";
import { codeOf } from "#store/failures.ts";
import { EXIT } from "./exit-codes.ts";

/** A failure as a person should hear of it: what happened, and what to do next. */
export class Failure extends Error {
  override name = "Failure";
  readonly advice: string;
  readonly exitCode: number;

  constructor(message: string, advice: string, exitCode: number = EXIT.failed) {
    super(message);
    this.advice = advice;
    this.exitCode = exitCode;
  }
}

const ADVICE: Record<string, string> = {
  ECONNREFUSED: "Is PostgreSQL running there? `DATABASE_URL` says where to look.",
  ENOENT: "Is PostgreSQL running there? `DATABASE_URL` says where to look.",
  ENOTFOUND: "The host in `DATABASE_URL` has no address. Check its spelling.",
  EADDRINUSE: "Another program listens there. Stop it, or choose other ports with `PORT` and `PRIVATE_PORT`.",
  EACCES: "Ports below 1024 need special rights. Choose another with `PORT`.",
  "28P01": "Check the user and the password in `DATABASE_URL`.",
  "28000": "Check the user in `DATABASE_URL`, and pg_hba.conf on the server.",
  "3D000": "Make it with `createdb`, or correct the name in `DATABASE_URL`.",
  "42501": "Use a role with more rights in `DATABASE_URL`: the one that owns the tables.",
  "42P01": "Run `credence migrate` first.",
};

/** Turns anything thrown into a failure with advice. */
export function explain(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof ConfigError) {
    return new Failure(
      `The configuration is wrong:\n${error.problems.map((problem) => `  ${problem}`).join("\n")}`,
      "docs/CONFIGURATION.md lists every variable.",
      EXIT.usage,
    );
  }
  // Connecting to a name with several addresses fails with all their errors at once.
  const cause = error instanceof AggregateError ? error.errors[0] : error;
  const message = cause instanceof Error ? cause.message : String(cause);
  const advice = ADVICE[codeOf(cause) ?? ""] ?? "Run it again with LOG_LEVEL=debug to see where it happened.";
  return new Failure(message, advice);
}
