import type { Connection } from "#core/database/database.ts";
import { EXIT } from "#core/terminal/exit-codes.ts";
import { Failure } from "#core/terminal/failure.ts";
import { formatPeople } from "#core/terminal/output.ts";
import { fingerprintOf } from "./opt-out.ts";
import { listMissingKeys, type MissingKey } from "./opt-outs.ts";

/** Keys of tombstones that were made here, and that this process does not have. */
export const findMissingKeys = (connection: Connection, optOutKeys: readonly string[]): Promise<MissingKey[]> =>
  listMissingKeys(connection, optOutKeys.map(fingerprintOf));

/** Whether this process lacks the key with which tombstones are made here. Then it erases nobody. */
export const lacksNewestKey = async (connection: Connection, optOutKeys: readonly string[]): Promise<boolean> =>
  (await findMissingKeys(connection, optOutKeys)).some(({ is_newest }) => is_newest);

/**
 * Refuses to go on without a key of tombstones: erased people would come back. `accepts`: with this
 * option, or for this command, tombstones under older keys may count by id only. Returns these keys.
 */
export async function requireOptOutKeys(
  connection: Connection,
  optOutKeys: readonly string[],
  accepts: "--without-opt-out-key" | "passport erase" | null,
): Promise<MissingKey[]> {
  const missing = await findMissingKeys(connection, optOutKeys);
  const [first] = accepts !== null ? missing.filter(({ is_newest }) => is_newest) : missing;
  if (first === undefined) return missing;
  const covered =
    accepts === "--without-opt-out-key"
      ? " This is the newest key, for which --without-opt-out-key does not count."
      : "";
  throw new Failure(
    `${optOutKeys.length === 0 ? "OPT_OUT_KEY is not set" : "OPT_OUT_KEY lacks a key"}: ${missing.map(describeMissing).join("; ")}.${covered}`,
    `Set OPT_OUT_KEY to all keys, the newest first, with commas between them. If nobody has this one: credence opt-outs give-up ${first.key} --as lost`,
    EXIT.usage,
  );
}

export const describeMissing = ({ key, people }: MissingKey): string =>
  `without key ${key}, ${formatPeople(people)} who opted out ${people === 1 ? "is" : "are"} recognised by passport number only, and could come back under another one`;
