import type { HolderAction } from "#holders/proof/message.ts";
import type { RequestState } from "#holders/request-state.ts";
import type { Asked, World } from "./world.ts";

/** What is stored at a moment. */
export type Snapshot = {
  people: Map<number, Stored>;
  requests: Map<number, StoredRequest>;
  /** Numbers of audit entries, by person and action. */
  audit: Map<string, number>;
};

/** `record`: everything that is stored and shown about the person. */
type Stored = {
  record: string;
  hidden: boolean;
  main: string | null;
  listed: string[];
  merged: boolean;
};

export type StoredRequest = {
  passport_id: number;
  state: RequestState;
  /** What the holder reads. */
  shown: RequestState | null;
  /** The state of the last entry in the list of transitions. */
  last: RequestState | null;
  action: HolderAction;
  note: string | null;
  has_proof: boolean;
  was_hidden: boolean | null;
  approved_for: number[] | null;
  is_due: boolean | null;
  received_at: Date;
  due_at: Date | null;
  is_retried: boolean;
  completed_at: Date | null;
};

export async function takeSnapshot({ database, ids }: World): Promise<Snapshot> {
  const { rows: people } = await database.query<Stored & { id: number }>(
    `select person.passport_id as id, hidden, merged,
       (select address from passport_wallet where passport_id = person.passport_id and position = 0) as main,
       array (select address from passport_wallet where passport_id = person.passport_id) as listed,
       concat_ws(' ', person::text,
         (select string_agg(wallet::text, ' ' order by position) from passport_wallet as wallet
          where passport_id = person.passport_id),
         (select document::text from passport_document as document where passport_id = person.passport_id),
         (select document::text from credential_document as document where passport_id = person.passport_id),
         (select string_agg(owner::text, ' ' order by owner.address) from passport_wallet as wallet join wallet_owner as owner using (address, passport_id)
          where wallet.passport_id = person.passport_id)) as record
     from passport as person where passport_id = any ($1)`,
    [ids],
  );
  const { rows: requests } = await database.query<StoredRequest & { request_id: number }>(
    `select request_id, passport_id, state, (select state from state_of_request(code_hash)) as shown, transitions -> -1 ->> 'state' as last, action, note, message is not null as has_proof,
       was_hidden, approved_for::float[], completed_at, received_at, due_at, due_at <= now() as is_due, retry_at <= now() as is_retried
     from holder_request where passport_id = any ($1)`,
    [ids],
  );
  const { rows: audit } = await database.query<{ name: string; entries: number }>(
    "select passport_id || ' ' || action as name, count(*)::int as entries from audit where passport_id = any ($1) group by 1",
    [ids],
  );
  return {
    people: new Map(people.map(({ id, ...stored }) => [id, stored])),
    requests: new Map(requests.map(({ request_id, ...request }) => [request_id, request])),
    audit: new Map(audit.map(({ name, entries }) => [name, entries])),
  };
}

/** People who list the wallet of the request, or for an erasure any wallet of its person. */
export function othersOf({ people }: Snapshot, { passportId, address, action }: Asked): number[] {
  const listed = action === "erase" ? (people.get(passportId)?.listed ?? []) : [];
  const involved = new Set([address, ...listed]);
  return sharingAny(people, involved).filter((id) => id !== passportId);
}

/** People who list a wallet of this person, and the person. */
export const sharingWith = ({ people }: Snapshot, id: number): number[] =>
  sharingAny(people, new Set(people.get(id)?.listed));

const sharingAny = (people: Snapshot["people"], wallets: ReadonlySet<string>): number[] =>
  [...people].filter(([, { listed }]) => listed.some((wallet) => wallets.has(wallet))).map(([id]) => id);
