import type { Answer, Asker } from "./asker.ts";
import { CREDENTIALS, isObject, itemsOf, LIST, NOBODY, NOBODYS_WALLET } from "./sample.ts";

/** `here` and `there` are what each server holds at that place; undefined where it holds nothing. */
export type Difference = { question: string; where: string; here: unknown; there: unknown };
export type Comparison = { questions: number; people: number; differences: Difference[] };

/** Asks two servers the same questions, and tells where the answers differ, field by field. */
export async function compareServers(here: Asker, there: Asker, pages: number): Promise<Comparison> {
  const differences: Difference[] = [];
  let questions = 0;
  const compare = async (path: string): Promise<[Answer, Answer]> => {
    questions += 1;
    const answers = await Promise.all([here.ask(path), there.ask(path)]);
    differences.push(...differencesOf(path, ...answers));
    return answers;
  };

  const ids = new Set<string>();
  const wallets = new Set<string>();
  for (let page = 1; page <= pages; page++) {
    const lists = await compare(`${LIST}?page=${page}`);
    if (page === 1) requireLists(...lists);
    const passports = lists.flatMap((list) => itemsOf(list, "passports"));
    for (const { passport_id, main_wallet } of passports) {
      ids.add(String(passport_id));
      if (typeof main_wallet === "string") wallets.add(main_wallet);
    }
    if (passports.length === 0) break;
  }
  for (const id of ids) {
    await compare(`${LIST}/${encodeURIComponent(id)}`);
    await compare(`${CREDENTIALS}?passport_id=${encodeURIComponent(id)}`);
  }
  for (const wallet of wallets) await compare(`${LIST}/${encodeURIComponent(wallet)}`);
  const odd = [
    `${LIST}/${NOBODY}`,
    `${LIST}/${NOBODYS_WALLET}`,
    `${LIST}/1e3`,
    CREDENTIALS,
    `${LIST}?keyword=a`,
    `${LIST}?per_page=1`,
  ];
  for (const path of odd) await compare(path);
  return { questions, people: ids.size, differences };
}

/** Two servers that both say no answer alike, and nothing has been compared. */
function requireLists(here: Answer, there: Answer): void {
  for (const [which, { status }] of [
    ["first", here],
    ["second", there],
  ] as const) {
    if (status === 200) continue;
    const advice =
      status === 401
        ? "Give its key: --key for the first, --compare-key for the second."
        : "Is it a V1 server? Leave /api/v1 off.";
    throw new Error(`The ${which} server answers the list with ${status}, so there is nothing to compare. ${advice}`);
  }
  if (itemsOf(here, "passports").length === 0 && itemsOf(there, "passports").length === 0) {
    throw new Error("Neither server lists anybody, so there is nothing to compare.");
  }
}

/** Status, media type and body; other headers are each server's own business. */
function differencesOf(question: string, here: Answer, there: Answer): Difference[] {
  const found: Difference[] = [];
  const note = (where: string, one: unknown, other: unknown) => {
    found.push({ question, where, here: one, there: other });
  };
  if (here.status !== there.status) note("status", here.status, there.status);
  const mediaType = ({ headers }: Answer) => headers["content-type"]?.split(";")[0];
  if (mediaType(here) !== mediaType(there)) note("content type", mediaType(here), mediaType(there));
  compareValues("", read(here), read(there), note);
  return found;
}

function read({ body }: Answer): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

type Note = (where: string, one: unknown, other: unknown) => void;

function compareValues(where: string, one: unknown, other: unknown, note: Note): void {
  if (Object.is(one, other)) return;
  if (Array.isArray(one) && Array.isArray(other)) {
    compareLists(where, one, other, note);
    return;
  }
  if (!isObject(one) || !isObject(other)) {
    note(where || "body", one, other);
    return;
  }
  const [keys, others] = [Object.keys(one), Object.keys(other)];
  if (keys.join() !== others.join() && keys.toSorted().join() === others.toSorted().join()) {
    note(`order of ${where || "body"}`, keys, others);
  }
  for (const key of new Set([...keys, ...others])) {
    compareValues(where === "" ? key : `${where}.${key}`, one[key], other[key], note);
  }
}

/** People and credentials are matched by their id, so that one who is missing is one difference and not hundreds. */
function compareLists(where: string, one: readonly unknown[], other: readonly unknown[], note: Note): void {
  const [keys, others] = [namesOf(one), namesOf(other)];
  const item = (list: readonly unknown[], names: readonly string[], name: string) => list[names.indexOf(name)];
  for (const name of new Set([...keys, ...others])) {
    compareValues(`${where}[${name}]`, item(one, keys, name), item(other, others, name), note);
  }
  const common = keys.filter((name) => others.includes(name));
  if (common.join() !== others.filter((name) => keys.includes(name)).join()) note(`order of ${where}`, keys, others);
}

/** What the items of a list are called: by their id if every one has its own, else by their place. */
function namesOf(list: readonly unknown[]): string[] {
  const ids = list.map((item) => (isObject(item) ? String(item.passport_id ?? item.id ?? "") : ""));
  const distinct = ids.every((id) => id !== "") && new Set(ids).size === ids.length;
  return distinct ? ids : list.map((_, at) => String(at));
}
