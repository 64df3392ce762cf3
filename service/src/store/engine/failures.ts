type PgError = Error & { code?: string };

export const UNDEFINED_TABLE = "42P01";
const LOCK_NOT_AVAILABLE = "55P03";
const QUERY_CANCELED = "57014";
const INSUFFICIENT_PRIVILEGE = "42501";
export const INVALID_CATALOG_NAME = "3D000";

/** A lock was not granted in time. */
export const isLocked = (error: unknown): boolean => codeOf(error) === LOCK_NOT_AVAILABLE;

/** The statement took longer than it may. */
export const isTimeout = (error: unknown): boolean => codeOf(error) === QUERY_CANCELED;

/** Somebody else is using it, or it belongs to another role: not now, perhaps later. */
export const isLockedOrDenied = (error: unknown): boolean =>
  [LOCK_NOT_AVAILABLE, INSUFFICIENT_PRIVILEGE].includes(codeOf(error) ?? "");

export function codeOf(error: unknown): string | undefined {
  return (error as PgError | null)?.code;
}

// 08 connection exception, 28 not let in, 3D000 no such database, 53 out of resources, 55000 not accepting connections,
// 57 operator intervention (shutting down, time-out), 40001 cut off by what a replica had to replay.
const UNAVAILABLE = /^(08|28|3D000|40001|53|55000|57)/;
const NETWORK = /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ENOENT)/;
// What the driver says in words only, when a connection could not be had in time or went away.
const WORDS = /timeout|connection terminated|not queryable|client was closed/i;

/** True when the database could not be asked, as against a statement that is wrong: the first may be tried again. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof Overloaded || error instanceof ReplicaBehind) return true;
  const code = codeOf(error);
  if (code !== undefined) return UNAVAILABLE.test(code) || NETWORK.test(code);
  return error instanceof Error && WORDS.test(error.message);
}

const UNIQUE_VIOLATION = "23505";

/** A row with the same key is there already. */
export const isDuplicateKey = (error: unknown): boolean => codeOf(error) === UNIQUE_VIOLATION;

// 22 data exception, 23 constraint violation, 54 program limit exceeded.
const DATA_FAULT = /^(22|23|54)/;

/** What the database has against the data it was given; null when the failure lies elsewhere. */
export function describeDataFault(error: unknown): string | null {
  return DATA_FAULT.test(codeOf(error) ?? "") ? (error as Error).message : null;
}

/** A replica has not replayed what the primary wrote a while ago: what it says may be out of date. */
export class ReplicaBehind extends Error {
  override name = "ReplicaBehind";

  constructor() {
    super("The replica is too far behind.");
  }
}

/** Too many wait already: better to be told so at once than to wait in vain. */
export class Overloaded extends Error {
  override name = "Overloaded";

  constructor(what: string) {
    super(`Too many ${what} are waiting.`);
  }
}
