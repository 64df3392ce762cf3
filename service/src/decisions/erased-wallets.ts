import type { Connection } from "#core/database/database.ts";
import { queryColumn, queryValue } from "#core/database/database.ts";
import { EXIT } from "#core/terminal/exit-codes.ts";
import { Failure } from "#core/terminal/failure.ts";
import { formatPeople } from "#core/terminal/output.ts";
import { listAddressesAfter, listOddAddresses } from "#people/facts/wallets.ts";
import { erasedForm, fingerprintOf, hashWallet } from "./keys.ts";

/** SQL: the hashes of erasures that are in force. By the primary key and decision_passport. */
const HELD =
  "decision_wallet where exists (select from decision_in_force as held where held.decision_id = decision_wallet.decision_id)";

/**
 * Of these addresses, those of erased people under one of these keys, in any spelling. Without keys none can be
 * recognised.
 */
export async function findErasedWallets(
  connection: Connection,
  keys: readonly string[],
  addresses: readonly string[],
): Promise<Set<string>> {
  if (keys.length === 0 || addresses.length === 0) return new Set();
  if (!(await queryValue<boolean>(connection, "select exists (select from decision_wallet)"))) return new Set();
  const byHash = new Map<string, string[]>();
  for (const address of addresses) {
    for (const key of keys) {
      const hash = hashWallet(key, address);
      byHash.set(hash, [...(byHash.get(hash) ?? []), address]);
    }
  }
  const found = await queryColumn<string>(
    connection,
    `select distinct encode(hash, 'hex') from ${HELD} and hash = any (array (select decode(unnest($1::text[]), 'hex')))`,
    [[...byHash.keys()]],
  );
  return new Set(found.flatMap((hash) => byHash.get(hash) ?? []));
}

/** These addresses, and the other spellings of them that are stored. */
export async function withOtherSpellings(connection: Connection, addresses: readonly string[]): Promise<string[]> {
  if (addresses.length === 0) return [];
  const forms = new Set(addresses.map(erasedForm));
  const odd = (await listOddAddresses(connection)).filter((address) => forms.has(erasedForm(address)));
  return [...new Set([...addresses, ...forms, ...odd])];
}

const BATCH = 20_000;

/**
 * Of all stored wallets, those with the hashes of these decisions, as far as they are in force. Hashes cannot be
 * reversed, so every wallet is read.
 */
export async function sweepWallets(
  connection: Connection,
  keys: readonly string[],
  decisionIds: readonly string[],
): Promise<string[]> {
  const hashes = new Set(
    await queryColumn<string>(
      connection,
      `select encode(hash, 'hex') from ${HELD} and decision_id = any ($1::uuid[])`,
      [decisionIds],
    ),
  );
  const found: string[] = [];
  for (let after = ""; hashes.size > 0; ) {
    const addresses = await listAddressesAfter(connection, after, BATCH);
    const last = addresses.at(-1);
    if (last === undefined) break;
    found.push(...addresses.filter((address) => keys.some((key) => hashes.has(hashWallet(key, address)))));
    after = last;
  }
  return found;
}

/** A key that erasures in force need, and that is not set. */
export type MissingKey = { key: string; people: number };

/** Not those that the operator gave up. */
export async function listMissingKeys(connection: Connection, keys: readonly string[]): Promise<MissingKey[]> {
  const { rows } = await connection.query<MissingKey>(
    `select key, count(distinct passport_id)::integer as people
     from decision_wallet join decision_in_force using (decision_id)
     where key <> all ($1)
       and not exists (select from decision as given_up where action = 'give up key' and given_up.key_id = decision_wallet.key)
     group by key order by key`,
    [keys.map(fingerprintOf)],
  );
  return rows;
}

export const describeMissing = ({ key, people }: MissingKey): string =>
  `without key ${key}, the wallets of ${formatPeople(people)} who ${people === 1 ? "was" : "were"} erased are not recognised`;

/** Refuses to go on without a key of erased people: they could come back under another number. */
export async function requireKeys(connection: Connection, keys: readonly string[]): Promise<void> {
  const missing = await listMissingKeys(connection, keys);
  const [first] = missing;
  if (first === undefined) return;
  throw new Failure(
    `${keys.length === 0 ? "OPT_OUT_KEY is not set" : "OPT_OUT_KEY lacks a key"}: ${missing.map(describeMissing).join("; ")}.`,
    `Set OPT_OUT_KEY to all keys, the newest first, with commas between them. If nobody has this one: credence decisions give-up ${first.key}`,
    EXIT.usage,
  );
}
