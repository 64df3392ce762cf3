import type { Person } from "@credence/contract/person.ts";
import { type Database, queryValue } from "#core/database/database.ts";
import { processRequests } from "#holders/manage/process-requests.ts";
import type { HolderSettings } from "#holders/manage/settings.ts";
import { reportSettings } from "#holders/manage/worker-settings.ts";
import { issueMessage } from "#holders/proof/issue-message.ts";
import { type HolderAction, parseMessage } from "#holders/proof/message.ts";
import { receiptCode } from "#holders/proof/verify-request.ts";
import { type HolderRequests, type NewRequest, openHolderRequests } from "#holders/serve/serve-requests.ts";
import { settingsRow } from "#holders/settings-in-use.ts";
import { savePeople } from "#people/write/save-people.ts";
import { changePerson } from "#privacy/change-person.ts";
import { HOLDER_KEY, HOLDERS_ON } from "#testing/holders.ts";
import { importLines } from "#testing/import-lines.ts";
import { person } from "#testing/people.ts";
import { solanaWallet, type TestWallet } from "#testing/wallets.ts";

/** People and wallets of a run, by number. */
const PEOPLE = [1, 2, 3] as const;
export const WALLETS = [0, 1, 2, 3, 4] as const;
/** Ten minutes, and five either way. */
const VALID_MINUTES = { from: -5, to: 15 };

/** The servers that issue texts: two PUBLIC_URLs and two keys. */
export const DOMAINS = ["v1.example", "old.example"] as const;
export const KEYS = [HOLDER_KEY, `${HOLDER_KEY} before the rotation`] as const;

/** How a request was made, and what its page promised. `forged`: signed by another wallet than it names. */
export type Making = {
  domain: string;
  key: string;
  lateMinutes: number;
  isForged: boolean;
  mode: "on" | "review";
  graceMs: number;
};

/** A request, with what the model knows about it. */
export type Asked = Making & {
  code: string;
  requestId: number;
  passportId: number;
  address: string;
  action: HolderAction;
  request: NewRequest;
  isWithdrawnByCode: boolean;
  /** Somebody entitled has ended it, as far as the model knows. */
  isEnded: boolean;
};

export type World = {
  database: Database;
  requests: HolderRequests;
  ids: readonly number[];
  wallets: readonly TestWallet[];
  asked: Asked[];
  /** People hidden by the operator or by an import. */
  hiddenByOperator: Set<number>;
  /** When the operator last showed somebody: it ends earlier wishes to be hidden. */
  shownByOperator: Map<number, Date>;
  /** Whether a server has stored its settings, and the domains and keys of all processes so far. */
  isServerKnown: boolean;
  used: Set<string>;
};

let runs = 0;

/** Three people: the first has two wallets, the others one each. The last wallet belongs to nobody. */
export async function createWorld(database: Database, isServerKnown: boolean): Promise<World> {
  runs += 1;
  const ids = PEOPLE.map((number) => runs * 10 + number);
  const wallets = WALLETS.map((number) => solanaWallet(`run ${runs} wallet ${number}`));
  const world: World = {
    ...{ database, ids, wallets, requests: openHolderRequests(database), asked: [] },
    ...{ hiddenByOperator: new Set(), shownByOperator: new Map(), isServerKnown, used: new Set() },
  };
  await database.query("delete from holder_settings");
  if (isServerKnown) await startServer(world);
  await savePeople(database, [lineOf(world, 0, [0, 1]), lineOf(world, 1, [2]), lineOf(world, 2, [3])]);
  return world;
}

/** A server whose texts the plain worker can verify. It runs longer than all requests that it receives. */
async function startServer({ database, used }: World): Promise<void> {
  const { holder_requests, erase_grace_seconds, public_url, holder_keys } = settingsRow("server", {
    ...{ holderRequests: "on", eraseGraceMs: HOLDERS_ON.graceMs },
    ...{ publicUrl: HOLDERS_ON.publicUrl, holderKeys: [...HOLDERS_ON.keys] },
  });
  const values = [holder_requests, erase_grace_seconds, public_url, holder_keys];
  await database.query("select report_holder_settings($1, $2, $3, $4)", values);
  await database.query(
    "update holder_settings set first_seen_at = now() - interval '1 day', last_seen_at = now() + interval '1 day'",
  );
  used.add(usedOf(HOLDERS_ON));
}

const usedOf = ({ publicUrl, keys }: Pick<HolderSettings, "publicUrl" | "keys">): string => `${publicUrl} ${keys}`;

/** Whether a text was made for another domain or key than the first server's. */
export const isForeign = ({ domain, key }: Asked): boolean => domain !== DOMAINS[0] || key !== KEYS[0];

/** Whether settings can be the reason that a text for another domain or key arrives here. */
export const isExplained = ({ isServerKnown, used }: World): boolean => !isServerKnown || used.size > 1;

const addressOf = ({ wallets }: World, number: number): string => wallets[number]?.address as string;
export const idOf = ({ ids }: World, index: number): number => ids[index] as number;
export const nowOf = ({ database }: World): Promise<Date> => queryValue(database, "select clock_timestamp()");

function lineOf(world: World, at: number, listed: readonly number[], merged = false): Person {
  const [main, ...further] = listed.map((number) => addressOf(world, number));
  return person(idOf(world, at), { main_wallet: main ?? null, verified_wallets: further, merged });
}

export async function importPerson(
  world: World,
  at: number,
  listed: readonly number[],
  { hidden, merged }: { hidden: boolean | undefined; merged: boolean },
): Promise<void> {
  const line = lineOf(world, at, listed, merged);
  await importLines(world.database, [hidden === undefined ? line : { ...line, operator: { hidden } }]);
}

export async function send(
  world: World,
  at: number,
  wallet: number,
  action: HolderAction,
  making: Making,
): Promise<void> {
  const { database, requests, wallets, asked } = world;
  const { domain, key, lateMinutes, isForged, mode, graceMs } = making;
  const passportId = idOf(world, at);
  const address = addressOf(world, wallet);
  const uri = `https://${domain}/holder`;
  const message = issueMessage(key, { domain, address, action, passportId, uri }, new Date());
  const signer = wallets[isForged ? (wallet + 1) % wallets.length : wallet] as TestWallet;
  const { nonce = "" } = parseMessage(message) ?? {};
  const code = receiptCode(key, message);
  const request = { action, passportId, address, code, message, signature: signer.sign(message), nonce, mode, graceMs };
  await requests.enqueue(request);
  const requestId = await queryValue<number>(database, "select max(request_id) from holder_request");
  await database.query(
    "update holder_request set received_at = received_at + make_interval(mins => $2) where request_id = $1",
    [requestId, lateMinutes],
  );
  asked.push({
    ...making,
    ...{ code, requestId, passportId, address, action, request, isWithdrawnByCode: false, isEnded: false },
  });
}

/** Whether a worker with these settings must recognise the request. */
export const isGenuine = (asked: Asked, { domain, keys }: Pick<HolderSettings, "domain" | "keys">): boolean =>
  !asked.isForged && asked.domain === domain && keys.includes(asked.key) && isInTime(asked);

const isInTime = ({ lateMinutes }: Asked): boolean =>
  lateMinutes > VALID_MINUTES.from && lateMinutes < VALID_MINUTES.to;

/** Refusals are shown, and what failed is tried again. */
export const passTime = ({ database }: World) =>
  database.query(
    `update holder_request set retry_at = '-infinity',
       received_at = case when completed_at is null then received_at else received_at - interval '31 seconds' end`,
  );

export const passGrace = ({ database }: World) =>
  database.query("update holder_request set due_at = now() where state = 'waiting'");

/** In which way the steps of a worker fail: the trigger of `prepareFaults` looks at it. */
export async function work(
  { database, used }: World,
  settings: Partial<HolderSettings>,
  workers: number,
  fails: boolean,
): Promise<number> {
  let failures = 0;
  const its = { ...HOLDERS_ON, ...settings };
  await reportSettings(database, its);
  used.add(usedOf(its));
  if (fails) await database.query("insert into fault values (true)");
  try {
    await Promise.all(
      Array.from({ length: workers }, () =>
        processRequests(database, its, (error) => {
          if (!fails) throw error;
          failures += 1;
        }),
      ),
    );
  } finally {
    if (fails) await database.query("delete from fault");
  }
  return failures;
}

export async function prepareFaults(database: Database): Promise<void> {
  await database.query("create table fault (is_on boolean)");
  // At the last write of a step, when everything else is done.
  await database.query(`create function fail () returns trigger language plpgsql as $$
    begin
      if exists (select from fault) then raise exception 'a fault'; end if;
      return new;
    end $$`);
  await database.query(`create trigger fail before update on holder_request for each row
    when (old.state <> new.state and new.message is not null) execute function fail ()`);
}

export const changeByOperator = (
  world: World,
  action: "hide" | "unhide",
  index: number,
): ReturnType<typeof changePerson> => changePerson(world.database, { action, passportId: idOf(world, index) });
