import type { PassportDetail } from "@credence/contract/passport.ts";
import { type Database, queryValue } from "#core/database/database.ts";
import { processRequests } from "#holders/manage/process-requests.ts";
import type { HolderSettings } from "#holders/manage/settings.ts";
import type { HolderAction } from "#holders/proof/message.ts";
import { openHolderRequests, type Receipt } from "#holders/serve/serve-requests.ts";
import { savePeople } from "#people/write/save-people.ts";
import { listAudit } from "#privacy/audit.ts";
import { HOLDERS_ON, signRequest } from "./holders.ts";
import { credential, person } from "./people.ts";
import { evmWallet, solanaWallet, type TestWallet } from "./wallets.ts";

const rethrow = (error: unknown) => {
  throw error;
};

type Cast = { ada: PassportDetail; bob: PassportDetail };

/** For the tests of a file, which share a database. Each test prepares people and wallets of its own. */
export function holderTests(database: Database) {
  const requests = openHolderRequests(database);
  let tests = 0;

  /** Ada has a main wallet and two others; Bob has one. `change` edits them before they are saved. */
  async function prepare(change: (cast: Cast) => void = () => {}) {
    tests += 1;
    const [id, bobId] = [tests * 10 + 1, tests * 10 + 2];
    const name = (text: string) => `${text} ${tests}`;
    const wallets = {
      main: evmWallet(name("main")),
      further: evmWallet(name("further")),
      sol: solanaWallet(name("sol")),
      other: evmWallet(name("other")),
    };
    const { main, further, sol, other } = wallets;
    const verified_wallets = [further.address, sol.address];
    const ada = person(
      id,
      { main_wallet: main.address, verified_wallets, display_name: `Ada${tests}x` },
      { credentials: [credential("a")] },
    );
    const bob = person(bobId, { main_wallet: other.address });
    change({ ada: ada.passport, bob: bob.passport });
    await savePeople(database, [ada, bob]);
    let second = 0;
    /** Signs for another second each time, so that the nonces differ. */
    const send = (wallet: TestWallet, action: HolderAction): Promise<Receipt> => {
      second += 1;
      return requests.enqueue(signRequest(wallet, action, id, new Date(Date.now() - second * 1_000)));
    };
    const work = (settings: Partial<HolderSettings> = {}) =>
      processRequests(database, { ...HOLDERS_ON, ...settings }, rethrow);
    /** Sends a request, lets a worker process it, and returns its state. */
    const ask = async (wallet: TestWallet, action: HolderAction, settings: Partial<HolderSettings> = {}) => {
      const receipt = await send(wallet, action);
      await work(settings);
      await passRefusalDelay();
      return { ...receipt, ...(await requests.stateOf(receipt.code)) };
    };
    const isHidden = async (): Promise<boolean | null> =>
      (await database.query("select hidden from passport where passport_id = $1", [id])).rows[0]?.hidden ?? null;
    const listActions = async () =>
      (await listAudit(database, null, 1_000)).filter((entry) => entry.passport_id === id).reverse();
    const findOpen = (): Promise<number> =>
      queryValue(database, "select request_id from holder_request where passport_id = $1 and completed_at is null", [
        id,
      ]);
    const countRequests = (): Promise<number> =>
      queryValue(database, "select count(*) from holder_request where passport_id = $1", [id]);
    return { id, bobId, ada, bob, ...wallets, send, work, ask, isHidden, listActions, findOpen, countRequests };
  }

  /** A refusal is shown 30 seconds after the request. */
  const passRefusalDelay = () =>
    database.query(
      "update holder_request set received_at = received_at - interval '30 seconds' where state = 'refused' and message is not null",
    );
  const endGrace = () => database.query("update holder_request set due_at = now() where state = 'waiting'");
  return { requests, prepare, endGrace };
}
