import type { Answer, Asker } from "./asker.ts";
import { CREDENTIALS, itemsOf, LIST, NOBODY, NOBODYS_WALLET } from "./sample.ts";

export type Difference = { question: string; where: string; here: string; there: string };
export type Comparison = { questions: number; differences: Difference[] };

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

  const ids = new Set<unknown>();
  const wallets = new Set<unknown>();
  for (let page = 1; page <= pages; page++) {
    const lists = await compare(`${LIST}?page=${page}`);
    const passports = lists.flatMap((list) => itemsOf(list, "passports"));
    for (const { passport_id, main_wallet } of passports) {
      ids.add(passport_id);
      if (typeof main_wallet === "string") wallets.add(main_wallet);
    }
    if (passports.length === 0) break;
  }
  for (const id of ids) {
    await compare(`${LIST}/${id}`);
    await compare(`${CREDENTIALS}?passport_id=${id}`);
  }
  for (const wallet of wallets) await compare(`${LIST}/${wallet}`);
  for (const path of [
    `${LIST}/${NOBODY}`,
    `${LIST}/${NOBODYS_WALLET}`,
    `${LIST}/1e3`,
    CREDENTIALS,
    `${LIST}?keyword=a`,
    `${LIST}?per_page=1`,
  ]) {
    await compare(path);
  }
  return { questions, differences };
}

/** Status, media type and body; other headers are each server's own business. */
function differencesOf(question: string, here: Answer, there: Answer): Difference[] {
  const found: Difference[] = [];
  const note = (where: string, one: unknown, other: unknown) => {
    found.push({ question, where, here: show(one), there: show(other) });
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
  if (
    typeof one !== "object" ||
    typeof other !== "object" ||
    one === null ||
    other === null ||
    Array.isArray(one) !== Array.isArray(other)
  ) {
    note(where || "body", one, other);
    return;
  }
  if (!Array.isArray(one) && Object.keys(one).join() !== Object.keys(other).join() && sameKeys(one, other)) {
    note(`order of ${where || "body"}`, Object.keys(one).join(), Object.keys(other).join());
  }
  for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
    const at = Array.isArray(one) ? `${where}[${key}]` : where === "" ? key : `${where}.${key}`;
    compareValues(at, (one as Record<string, unknown>)[key], (other as Record<string, unknown>)[key], note);
  }
}

function sameKeys(one: object, other: object): boolean {
  return Object.keys(one).toSorted().join() === Object.keys(other).toSorted().join();
}

function show(value: unknown): string {
  const text = value === undefined ? "nothing" : (JSON.stringify(value) ?? String(value));
  return text.length > 100 ? `${text.slice(0, 97)}…` : text;
}
