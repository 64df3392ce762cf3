import type { PassportDetail } from "@credence/contract/passport.ts";
import { type Database, queryValue } from "#core/database/database.ts";
import { findState, listDecisions } from "#decisions/ledger.ts";
import { processRequests } from "#holders/manage/process-requests.ts";
import type { HolderSettings } from "#holders/manage/settings.ts";
import type { Wish } from "#holders/proof/message.ts";
import { openHolderRequests } from "#holders/serve/requests.ts";
import { savePeople } from "#people/write/save-people.ts";
import { HOLDERS_ON, type Signing, signRequest } from "./holders.ts";
import { credential, person } from "./people.ts";
import { evmWallet, solanaWallet, type TestWallet } from "./wallets.ts";

/** A worker with other settings than the servers is no mistake of a test. */
const rethrow = (error: unknown) => {
  if (!String(error).includes("signed for another")) throw error;
};

type Cast = { ada: PassportDetail; bob: PassportDetail };

/** For the tests of a file, which share a database. Each test prepares people and wallets of its own. */
export function holderTests(database: Database) {
  const requests = openHolderRequests(database);
  let tests = 0;

  /** Ada has a main wallet and two others; Bob has one. `change` edits them before they are saved. */
  async function prepare(change: (cast: Cast, main: string) => void = () => {}) {
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
    change({ ada: ada.passport, bob: bob.passport }, main.address);
    await savePeople(database, [ada, bob]);
    const send = async (wallet: TestWallet, wish: Wish, signing: Signing = {}) => {
      const request = signRequest(wallet, wish, signing);
      await requests.enqueue(request);
      return request.code;
    };
    /** Sends a request, lets a worker process it, and returns its state. */
    const ask = async (
      wallet: TestWallet,
      wish: Wish,
      settings: Partial<HolderSettings> = {},
      signing: Signing = {},
    ) => {
      const code = await send(wallet, wish, signing);
      await work(settings);
      return { code, requestId: await numberOf(code), ...(await requests.stateOf(code)) };
    };
    /** Null: the facts are deleted. */
    const isHidden = async (passportId = id): Promise<boolean | null> => {
      if ((await database.query("select from person where passport_id = $1", [passportId])).rowCount === 0) return null;
      const state = await findState(database, passportId);
      return state.hidden_by_operator || state.hidden_by_holder || state.erasing || state.erased;
    };
    /** `action by`, oldest first. */
    const listActions = async (passportId = id) =>
      (await listDecisions(database, { since: null, passportId, limit: 100 }))
        .map(({ action, decided_by }) => `${action} ${decided_by}`)
        .toReversed();
    return { id, bobId, ada, bob, ...wallets, send, ask, isHidden, listActions };
  }

  const work = (settings: Partial<HolderSettings> = {}) =>
    processRequests(database, { ...HOLDERS_ON, ...settings }, rethrow);
  const numberOf = (code: string): Promise<number> =>
    queryValue(database, "select request_id from holder_request where code_hash = sha256($1)", [Buffer.from(code)]);
  const stateOf = async (code: string) => (await requests.stateOf(code))?.state ?? null;
  /** All erasures that wait are due. */
  const endGrace = () => database.query("update holder_request set due_at = now() where state = 'waiting'");
  /** Requests that failed are tried now. */
  const endPause = () => database.query("update holder_request set retry_at = now() where completed_at is null");
  return { requests, prepare, work, stateOf, numberOf, endGrace, endPause };
}
