import assert from "node:assert/strict";
import type { Person } from "@credence/contract/person.ts";
import { listLostErasures, listStates } from "#decisions/ledger.ts";
import { verifyDocuments } from "#people/documents/verify-documents.ts";
import { type Expected, type Fact, lastWords, listedBy, PEOPLE } from "./expected.ts";
import type { Server, Tables } from "./server.ts";

type Row = { passport_id: number; body: string; address: string };
export const rowsOf = <Found = Row>(tables: Tables, name: string): Found[] => JSON.parse(tables[name] as string);

/** What has to be true of a server at any time. */
export async function check(server: Server): Promise<void> {
  const { name, database, expected } = server;
  const { tables } = await server.backUp();
  checkProtected(name, tables, expected);
  checkRest(name, tables, expected);
  const requests = rowsOf<{ request: string; state: string }>(tables, "holder_request");
  const waiting = new Set(requests.filter(({ state }) => state === "waiting").map(({ request }) => request));
  assert.deepEqual(waiting, new Set(expected.requests.keys()), `${name}: requests that wait`);
  const lost = await listLostErasures(database);
  assert.deepEqual(lost, PEOPLE.filter(expected.isLost), `${name}: erasures whose request is lost`);
  const states = await listStates(database, PEOPLE);
  for (const id of expected.alone === null ? [] : PEOPLE) {
    const state = states.find(({ passport_id }) => passport_id === id);
    for (const [word, value] of Object.entries(lastWords(expected.alone ?? [], id))) {
      assert.equal(state?.[word as keyof typeof state] ?? false, value, `${name}: the last word about ${id}: ${word}`);
    }
  }
  const { differences } = await verifyDocuments(database, () => {});
  assert.deepEqual(differences, [], `${name}: documents that contradict facts and decisions`);
}

/** The current version of the list and the previous one. The ids of people who were removed are null. */
const listsIn = (tables: Tables): Row[][] =>
  rowsOf<{ epoch: number }>(tables, "standing_epoch")
    .toSorted((a, b) => b.epoch - a.epoch)
    .map(({ epoch }) => rowsOf(tables, `standing_${epoch}`).filter(({ body }) => body !== null));

/** Nobody who is hidden or erased is shown by number, wallet or list, or in the wallets of another record. */
function checkProtected(name: string, tables: Tables, expected: Expected): void {
  const rows = (...names: string[]): Row[] => names.flatMap((table) => rowsOf(tables, table));
  const served = [...rows("passport_document", "credential_document", "wallet_owner"), ...listsIn(tables).flat()];
  // The request that was carried out stays as the proof.
  const signed = rowsOf<{ address: string | null; state: string; passport_ids: number[] }>(tables, "holder_request")
    .filter(({ address, state }) => address !== null && state !== "done")
    .flatMap(({ passport_ids }) => passport_ids.map((passport_id) => ({ passport_id })));
  const stored = [...rows("person", "person_wallet"), ...signed, ...served];
  for (const id of PEOPLE) {
    const isAbout = (row: { passport_id: number }) => row.passport_id === id;
    if (expected.isHidden(id)) assert.ok(!served.some(isAbout), `${name}: ${id} is hidden, and served`);
    if (expected.isDeleted(id)) assert.ok(!stored.some(isAbout), `${name}: ${id} was erased, and is stored`);
  }
  const shown = new Set(expected.shown().flatMap(listedBy));
  for (const address of new Set(expected.stored().flatMap(listedBy)).difference(shown)) {
    const isServed = JSON.stringify(served).includes(address);
    assert.ok(!isServed, `${name}: ${address} is listed by hidden people only, and served`);
  }
  const everything = JSON.stringify({ ...tables, holder_request: "" });
  for (const address of expected.erasedWallets()) {
    assert.ok(!everything.includes(address), `${name}: the wallet ${address} of an erased person is stored`);
  }
}

/** Nobody else is hidden or deleted, and nothing else is lost. */
function checkRest(name: string, tables: Tables, expected: Expected): void {
  const sorted = <Item extends { id: number }>(items: Item[]): Item[] => items.toSorted((a, b) => a.id - b.id);
  const read = ({ passport_id: id, ...passport }: Person["passport"]) => ({
    ...{ id, name: passport.passport_profile.display_name, score: passport.score },
    ...{ main: passport.main_wallet, wallets: passport.verified_wallets },
  });
  const documents = rowsOf(tables, "passport_document").map(({ body }) => read(JSON.parse(body)));
  const shown = expected.shown().map(({ merged: _, lostMain: __, ...fact }) => fact);
  assert.deepEqual(sorted(documents), shown, `${name}: documents`);
  const people = rowsOf<{ lost_main: boolean; line: Person }>(tables, "person").map(({ lost_main, line }) => {
    return { ...read(line.passport), merged: line.passport.merged, lostMain: lost_main };
  });
  assert.deepEqual(sorted(people), expected.stored(), `${name}: stored people`);
  const owners = rowsOf(tables, "wallet_owner").map(({ address, passport_id }) => [address, passport_id] as const);
  assert.deepEqual(new Map(owners), expected.owners(), `${name}: owners of wallets`);
  const lists = listsIn(tables);
  const listed = lists.map((list) => new Set(list.map(({ passport_id }) => passport_id)));
  assert.deepEqual(listed, expected.lists, `${name}: the list and its previous version`);
  for (const { passport_id, body } of lists.flat()) {
    const { main, wallets } = read(JSON.parse(body));
    const now = new Set<string | null>(listedBy(expected.facts.get(passport_id) as Fact)).add(null);
    const lost = [main, ...wallets].filter((address) => !now.has(address));
    assert.deepEqual(lost, [], `${name}: the list shows wallets that ${passport_id} has lost`);
  }
}
