import type { Decision } from "@credence/contract/decision.ts";
import { type Connection, type Database, inTransaction, queryColumn } from "#core/database/database.ts";
import { describeDataFault } from "#core/database/failures.ts";
import { lockPeople } from "#core/database/locks.ts";
import { SnapshotRefused } from "#core/files/refused.ts";
import { requireKeys, sweepWallets } from "./erased-wallets.ts";
import type { DecisionsFile } from "./file.ts";
import { ABOUT_PEOPLE, listLostErasures } from "./ledger.ts";
import { analyzePeople } from "./planner-statistics.ts";
import { closeEndedErasures, postponeErasures, refuseUnverified } from "./requests-of-person.ts";
import { settle } from "./settle.ts";

export type United = {
  /** Decisions of the file, and those of them that were new. */
  decisions: number;
  added: number;
  /** A key of ours authenticates the file. Otherwise it only hides and keeps out. */
  is_ours: boolean;
  hidden: number[];
  shown: number[];
  erased: number[];
  /** People who lost a wallet of an erased person, and of these those whose main wallet it was. */
  lost_wallet: number[];
  lost_main: number[];
  keys_restricted: string[];
  /** People who asked to be erased, and whose signed request is not open here. */
  lost_erasures: number[];
};

export type UniteOptions = {
  keys: readonly string[];
  /** After a restore: the grace period of erasures that wait begins again. Null: it is no restore. */
  restoreGraceMs: number | null;
  dryRun: boolean;
  onProgress: (people: number) => void;
};

const BATCH = 2_000;

/** Thrown to roll a dry run back. */
class DryRun extends Error {
  readonly united: United;
  constructor(united: United) {
    super("dry run");
    this.united = united;
  }
}

/**
 * Adds the decisions of a file to the ledger, and settles the people they are about, in one transaction. The
 * union of two ledgers is the ledger, so files can be added in any order and any number of times.
 */
export async function uniteDecisions(database: Database, file: DecisionsFile, options: UniteOptions): Promise<United> {
  try {
    const united = await inTransaction(database, async (connection) => {
      await lockPeople(connection);
      const result = await unite(connection, file, options);
      if (options.dryRun) throw new DryRun(result);
      return result;
    });
    if (united.erased.length > 0) await analyzePeople(database);
    return united;
  } catch (error) {
    if (error instanceof DryRun) return error.united;
    const fault = describeDataFault(error);
    if (fault === null) throw error;
    throw new SnapshotRefused(
      `PostgreSQL refuses a decision of the file: ${fault}`,
      "Nothing was changed. Pass a file that `credence decisions export` or a worker has written.",
      { cause: error },
    );
  }
}

async function unite(connection: Connection, file: DecisionsFile, options: UniteOptions): Promise<United> {
  const decisions = file.isOurs ? file.decisions : file.decisions.flatMap(asForeign);
  const replaced = file.isOurs ? await deleteForeign(connection, decisions) : [];
  const added = await insertDecisions(connection, decisions);
  const { keys, restoreGraceMs, onProgress } = options;
  // The keys of erased wallets that are new now.
  await requireKeys(connection, keys);
  const ids = [...new Set([...replaced, ...added.flatMap(({ passport_id }) => passport_id ?? [])])];
  const before = new Set(await listShownIds(connection, ids));
  if (restoreGraceMs !== null && file.isOurs && (await insertRestore(connection, file.mac))) {
    await refuseUnverified(connection, ASK_AGAIN);
    await postponeErasures(connection, restoreGraceMs);
  }
  const keys_restricted = await restrictKeys(connection);
  const gone = await sweepWallets(
    connection,
    keys,
    added.map(({ decision_id }) => decision_id),
  );
  const settled = { erased: [] as number[], losing: [] as number[], lostMain: [] as number[] };
  for (let index = 0; index < ids.length; index += BATCH) {
    const part = await settle(connection, ids.slice(index, index + BATCH), index === 0 ? gone : []);
    settled.erased.push(...part.erased);
    settled.losing.push(...part.losing);
    settled.lostMain.push(...part.lostMain);
    onProgress(Math.min(index + BATCH, ids.length));
  }
  await closeEndedErasures(connection, ids);
  const after = new Set(await listShownIds(connection, ids));
  const erased = new Set(settled.erased);
  return {
    decisions: file.decisions.length,
    added: added.length,
    is_ours: file.isOurs,
    hidden: [...before.difference(after).difference(erased)],
    shown: [...after.difference(before)],
    erased: settled.erased,
    lost_wallet: settled.losing.filter((id) => !erased.has(id)),
    lost_main: settled.lostMain.filter((id) => !erased.has(id)),
    keys_restricted,
    lost_erasures: await listLostErasures(connection),
  };
}

const ASK_AGAIN = "The data was restored from a backup before this request was processed. Ask again.";

const OF_PEOPLE: ReadonlySet<string> = new Set(ABOUT_PEOPLE);

/** Of another authority only what is about people counts, and hashes cannot be compared. */
function asForeign({ wallet_key: _, wallets: __, ...decision }: Decision): Decision[] {
  return OF_PEOPLE.has(decision.action) ? [{ ...decision, is_foreign: true }] : [];
}

/**
 * Deletes foreign decisions whose own form comes now: only their numbers could be trusted. Returns the people
 * they were about.
 */
async function deleteForeign(connection: Connection, decisions: readonly Decision[]): Promise<number[]> {
  const own = decisions.filter(({ is_foreign }) => !is_foreign).map(({ decision_id }) => decision_id);
  const ids = await queryColumn<string>(
    connection,
    "select decision_id from decision where is_foreign and decision_id = any ($1::uuid[])",
    [own],
  );
  await connection.query("delete from decision_end where decision_id = any ($1::uuid[])", [ids]);
  return queryColumn(connection, "delete from decision where decision_id = any ($1::uuid[]) returning passport_id", [
    ids,
  ]);
}

type Added = { decision_id: string; passport_id: number | null };

/** Returns those that were new. */
async function insertDecisions(connection: Connection, decisions: readonly Decision[]): Promise<Added[]> {
  const added: Added[] = [];
  for (let index = 0; index < decisions.length; index += BATCH) {
    const part = decisions.slice(index, index + BATCH);
    const { rows } = await connection.query<Added>(
      `insert into decision (decision_id, decided_at, action, decided_by, by_role, passport_id, key_id, due_at, request, is_foreign)
       select decision_id, decided_at, action, decided_by, by_role, passport_id, key_id, due_at, request, coalesce(is_foreign, false)
       from json_to_recordset($1) as file (decision_id uuid, decided_at timestamptz, action text, decided_by text, by_role text,
         passport_id bigint, key_id text, due_at timestamptz, request uuid, is_foreign boolean)
       on conflict (decision_id) do nothing
       returning decision_id, passport_id`,
      [JSON.stringify(part)],
    );
    added.push(...rows);
    const isNew = new Set(rows.map(({ decision_id }) => decision_id));
    const fresh = part.filter(({ decision_id }) => isNew.has(decision_id));
    await connection.query(
      `with ends as (
         insert into decision_end (ended, decision_id)
         select ended::uuid, decision_id from json_to_recordset($1) as file (decision_id uuid, ends json),
           json_array_elements_text(ends) as ended
         on conflict do nothing
       )
       insert into decision_wallet (hash, decision_id, key)
       select decode(hash, 'hex'), decision_id, wallet_key
       from json_to_recordset($1) as file (decision_id uuid, wallet_key text, wallets json),
         json_array_elements_text(wallets) as hash
       on conflict do nothing`,
      [JSON.stringify(fresh.map(({ ends = [], wallets = [], ...decision }) => ({ ...decision, ends, wallets })))],
    );
  }
  // The planner believes that the tables are as small as before.
  if (added.length > 1_000) await connection.query("analyze decision, decision_end, decision_wallet");
  return added;
}

/** Notes a restore, once for each file. False if it was noted before. */
async function insertRestore(connection: Connection, mac: string): Promise<boolean> {
  const id = mac.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  const { rowCount } = await connection.query(
    "insert into decision (decision_id, action, decided_by) values ($1, 'restore', 'operator') on conflict do nothing",
    [id],
  );
  return rowCount === 1;
}

/** Keys stay revoked, and of two expiries the earlier counts. Returns the keys that changed. */
const restrictKeys = (connection: Connection): Promise<string[]> =>
  queryColumn(
    connection,
    `update api_key set revoked_at = coalesce(api_key.revoked_at, decided.revoked_at),
       expires_at = least(api_key.expires_at, decided.expires_at), changed_at = now()
     from (
       select key_id, min(decided_at) filter (where action = 'revoke key') as revoked_at,
         min(due_at) filter (where action = 'expire key') as expires_at
       from decision where action in ('revoke key', 'expire key') group by key_id
     ) as decided
     where api_key.key_id = decided.key_id
       and (api_key.revoked_at is null and decided.revoked_at is not null
         or decided.expires_at < coalesce(api_key.expires_at, 'infinity'))
     returning api_key.key_id`,
  );

const listShownIds = (connection: Connection, ids: readonly number[]): Promise<number[]> =>
  queryColumn(connection, "select passport_id from passport_document where passport_id = any ($1) order by 1", [ids]);
