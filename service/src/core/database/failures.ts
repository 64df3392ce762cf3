type PgError = Error & { code?: string };

export const UNDEFINED_TABLE = "42P01";
const LOCK_NOT_AVAILABLE = "55P03";
const QUERY_CANCELED = "57014";
const INSUFFICIENT_PRIVILEGE = "42501";
export const INVALID_CATALOG_NAME = "3D000";

/** A lock was not granted in time. */
export const isLocked = (error: unknown): boolean => codeOf(error) === LOCK_NOT_AVAILABLE;

/** The statement exceeded statement_timeout. */
export const isTimeout = (error: unknown): boolean => codeOf(error) === QUERY_CANCELED;

/** The role lacks a right. */
export const isDenied = (error: unknown): boolean => codeOf(error) === INSUFFICIENT_PRIVILEGE;

/** The table is locked by another session or owned by another role. */
export const isLockedOrDenied = (error: unknown): boolean =>
  [LOCK_NOT_AVAILABLE, INSUFFICIENT_PRIVILEGE].includes(codeOf(error) ?? "");

export function codeOf(error: unknown): string | undefined {
  return (error as PgError | null)?.code;
}

// 08 connection exception, 28 invalid authorization, 3D000 unknown database, 40001 conflict with
// recovery on a replica, 53 insufficient resources, 55000 not accepting connections,
// 57 operator intervention (shutdown, timeout).
const UNAVAILABLE_CODES = /^(08|28|3D000|40001|53|55000|57)/;
const NETWORK_CODES = /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ENOENT)/;
// Connection failures for which the driver sets no code.
const UNAVAILABLE_MESSAGES = /timeout|connection terminated|not queryable|client was closed/i;

/** True if the database is unreachable or overloaded, and a retry may succeed. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof Overloaded || error instanceof ReplicaBehind) return true;
  if (error instanceof DatabaseDown || error instanceof Unreadable) return true;
  if (isReadOnly(error)) return true;
  const code = codeOf(error);
  if (code !== undefined) return UNAVAILABLE_CODES.test(code) || NETWORK_CODES.test(code);
  return error instanceof Error && UNAVAILABLE_MESSAGES.test(error.message);
}

const READ_ONLY_TRANSACTION = "25006";

/**
 * The server is a replica, or a primary that was replaced. The connection must not be used again: a
 * new one may lead to the primary.
 */
export const isReadOnly = (error: unknown): boolean =>
  codeOf(error) === READ_ONLY_TRANSACTION ||
  // The code of `begin read write` on a replica says only that this is not supported.
  (error instanceof Error && /during recovery$/.test(error.message));

/** What decides access cannot be read, for whatever reason. */
export class Unreadable extends Error {
  override name = "Unreadable";
}

/** A transaction that writes was begun on a replica. Nothing was done yet. */
export class ReplicaInsteadOfPrimary extends Error {
  override name = "ReplicaInsteadOfPrimary";
  readonly code = READ_ONLY_TRANSACTION;

  constructor() {
    super("This server is a replica: it accepts no changes.");
  }
}

// 08 connection exception, 57P03 the server is starting or stopping.
const NO_RESPONSE_CODES = /^(08|57P03)/;
const INSUFFICIENT_RESOURCES = /^53/;

/** True if the server did not respond. A statement that it refuses or cancels has a response. */
export function hasNoResponse(error: unknown): boolean {
  if (error instanceof DatabaseDown) return true;
  const code = codeOf(error);
  if (code !== undefined) return NO_RESPONSE_CODES.test(code) || NETWORK_CODES.test(code);
  return error instanceof Error && UNAVAILABLE_MESSAGES.test(error.message);
}

/** True if no connection could be made. A wrong password or database name is not such a failure. */
export function isUnreachable(error: unknown): boolean {
  return hasNoResponse(error) || INSUFFICIENT_RESOURCES.test(codeOf(error) ?? "");
}

// 22 data exception, 23 constraint violation, 54 program limit exceeded.
const DATA_FAULT = /^(22|23|54)/;

/** Why the database rejected the data; null if the data did not cause the failure. */
export function describeDataFault(error: unknown): string | null {
  return DATA_FAULT.test(codeOf(error) ?? "") ? (error as Error).message : null;
}

/** The replica's replication lag exceeds the limit. */
export class ReplicaBehind extends Error {
  override name = "ReplicaBehind";

  constructor() {
    super("The replica is too far behind.");
  }
}

/** The last statements got no response, so this one was not sent; or another process met such an outage. */
export class DatabaseDown extends Error {
  override name = "DatabaseDown";

  constructor(message = "The database does not respond.") {
    super(message);
  }
}

/** The queue is full: the request is shed at once, as it would time out in the queue. */
export class Overloaded extends Error {
  override name = "Overloaded";

  constructor(requests: string) {
    super(`Too many ${requests} are waiting.`);
  }
}
