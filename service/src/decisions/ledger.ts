import { type Connection, queryColumn } from "#core/database/database.ts";
import { fingerprintOf, hashWallet } from "./keys.ts";

/** What another server may be told about a person. `erase`: asked to be erased; `erased`: it is done. */
export const ABOUT_PEOPLE = ["hide", "show", "erase", "refuse", "erased", "allow"] as const;

/** `review` and `approve` are steps of a holder's request. */
export type PersonAction = (typeof ABOUT_PEOPLE)[number] | "review" | "approve";

export type By = "operator" | "holder" | "worker";

export type NewDecision = {
  action: PersonAction;
  by: By;
  passportId: number;
  /** The request of a holder that it belongs to. */
  request?: string | null;
  /** Of `erase`: not before. */
  dueAt?: Date | null;
};

/** SQL: the decisions in force about the person that a new one ends. */
const ENDS: Readonly<Record<string, string>> = {
  "show operator": "action in ('hide', 'erase')",
  "show holder": "(action = 'hide' and decided_by = 'holder' or action = 'erase')",
  "erase holder": "action = 'erase'",
  "refuse operator": "action = 'erase' and request = $4",
  "erased operator": "action = 'erase'",
  "erased worker": "action = 'erase'",
  "allow operator": "action = 'erased'",
};

/**
 * Appends a decision, also if it changes nothing now: another server may have ended an earlier one. It ends
 * the decisions that are in force here; whoever did not know of one does not end it. `wallets`: those of an
 * erased person, which are stored as hashes under the key.
 */
export async function appendDecision(
  connection: Connection,
  { action, by, passportId, request = null, dueAt = null }: NewDecision,
  { wallets = [], key = null }: { wallets?: readonly string[]; key?: string | null } = {},
): Promise<void> {
  if (wallets.length > 0 && key === null) throw new Error("The wallets of an erased person need OPT_OUT_KEY.");
  await connection.query(
    `with ended as (select decision_id from decision_in_force where passport_id = $3 and ${ENDS[`${action} ${by}`] ?? "false"}),
     decided as (
       insert into decision (action, decided_by, passport_id, request, due_at) values ($1, $2, $3, $4, $5) returning decision_id
     ),
     ends as (insert into decision_end (ended, decision_id) select ended.decision_id, decided.decision_id from ended, decided)
     insert into decision_wallet (hash, decision_id, key)
     select decode(hash, 'hex'), decision_id, $7 from decided, unnest($6::text[]) as hash`,
    [
      action,
      by,
      passportId,
      request,
      dueAt,
      key === null ? [] : [...new Set(wallets.map((address) => hashWallet(key, address)))],
      key === null ? null : fingerprintOf(key),
    ],
  );
}

/** Appends a decision of the operator about a key. `dueAt`: when it expires. */
export async function appendKeyDecision(
  connection: Connection,
  action: "revoke key" | "expire key" | "give up key",
  keyId: string,
  dueAt: Date | null = null,
): Promise<void> {
  await connection.query("insert into decision (action, decided_by, key_id, due_at) values ($1, 'operator', $2, $3)", [
    action,
    keyId,
    dueAt,
  ]);
}

/** Why a person is not shown. */
export type PersonState = {
  passport_id: number;
  hidden_by_operator: boolean;
  hidden_by_holder: boolean;
  /** Asked to be erased. */
  erasing: boolean;
  /** No import brings the person back. */
  erased: boolean;
  /** Nobody with authority here has erased the person. */
  keeps_facts: boolean;
};

const SHOWN = {
  hidden_by_operator: false,
  hidden_by_holder: false,
  erasing: false,
  erased: false,
  keeps_facts: true,
};

/** Of these people, those that are not shown. */
export async function listStates(connection: Connection, passportIds: readonly number[]): Promise<PersonState[]> {
  const { rows } = await connection.query<PersonState>("select * from person_state where passport_id = any ($1)", [
    passportIds,
  ]);
  return rows;
}

export async function findState(connection: Connection, passportId: number): Promise<PersonState> {
  const [state] = await listStates(connection, [passportId]);
  return state ?? { passport_id: passportId, ...SHOWN };
}

/** Of these people, those that no import brings back. */
export const listErasedIds = (connection: Connection, passportIds: readonly number[]): Promise<number[]> =>
  queryColumn(connection, "select passport_id from person_state where passport_id = any ($1) and erased", [
    passportIds,
  ]);

export type ListedDecision = {
  decision_id: string;
  decided_at: Date;
  action: string;
  decided_by: By;
  by_role: string;
  passport_id: number | null;
  key_id: string | null;
  due_at: Date | null;
  request: string | null;
  is_foreign: boolean;
  /** It hides, and nothing has ended it. */
  in_force: boolean;
};

/** Newest first. By decision_decided_at, or by decision_passport. */
export async function listDecisions(
  connection: Connection,
  { since, passportId, limit }: { since: Date | null; passportId: number | null; limit: number },
): Promise<ListedDecision[]> {
  const { rows } = await connection.query<ListedDecision>(
    `select decision_id, decided_at, action, decided_by, by_role, passport_id, key_id, due_at, request, is_foreign,
       exists (select from decision_in_force as held where held.decision_id = decision.decision_id) as in_force
     from decision
     where decided_at >= coalesce($1, '-infinity'::timestamptz) and ($2::bigint is null or passport_id = $2)
     order by decided_at desc, decision_id limit $3`,
    [since, passportId, limit],
  );
  return rows;
}

/** People who asked to be erased, and whose signed request is not open here: the operator decides. */
export const listLostErasures = (connection: Connection): Promise<number[]> =>
  queryColumn(
    connection,
    `select distinct passport_id from decision_in_force as held
     where action = 'erase'
       and not exists (select from holder_request where holder_request.request = held.request and completed_at is null)
       and not exists (select from decision_in_force as done where done.passport_id = held.passport_id and done.action = 'erased')
     order by passport_id`,
  );

/** Deletes the ledger. Only the demo does, whose people are invented. */
export async function deleteLedger(connection: Connection): Promise<void> {
  await connection.query("truncate decision, decision_end, decision_wallet");
}
