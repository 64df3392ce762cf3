import type { JournalRecord, PageRecord } from "./journal.ts";
import { idInUrl } from "./read-response.ts";

// Bits of an entry; the rest of the number is the last pass that listed the person.
const FOUND = 1;
const WANTED = 2;
const PASSPORT = 4;
const CREDENTIALS = 8;
const GONE = 16;
const PASS = 32;

/** Pages in a row without a person that is new in the pass. */
const MAX_REPEATED_PAGES = 50;

/** Beyond it, the server invents people, or the memory of this process is too small. */
export const MAX_PEOPLE = 5_000_000;

/**
 * What a collection has done so far. It is a function of the journal: a new process replays the
 * journal and gets the same state.
 */
export type ProgressState = ReturnType<typeof createProgressState>;

export function createProgressState() {
  const entries = new Map<number, number>();
  const state = {
    pass: 0,
    /** The next page of the pass. */
    page: 1,
    isPassDone: true,
    /** People that no earlier pass has found. */
    newInPass: 0,
    newInPreviousPass: 0,
    repeatedPages: 0,
    /** The total of the last page. */
    total: null as number | null,
    found: 0,
    done: 0,
    gone: 0,
  };
  const isDone = (entry: number): boolean =>
    (entry & GONE) !== 0 || (entry & (PASSPORT | CREDENTIALS)) === (PASSPORT | CREDENTIALS);

  const addPage = ({ pass, page, last_page, total, ids, changed }: PageRecord): void => {
    if (pass !== state.pass) {
      const newInPreviousPass = state.newInPass;
      Object.assign(state, { pass, newInPass: 0, newInPreviousPass, repeatedPages: 0 });
    }
    let seen = 0;
    for (const id of ids) {
      const entry = entries.get(id) ?? 0;
      if ((entry & FOUND) === 0) {
        state.newInPass += 1;
        state.found += 1;
      }
      if (Math.floor(entry / PASS) !== pass) seen += 1;
      const wanted = changed === undefined ? WANTED : 0;
      entries.set(id, pass * PASS + ((entry % PASS) | FOUND | wanted));
    }
    for (const id of changed ?? []) want(id);
    state.repeatedPages = seen === 0 ? state.repeatedPages + 1 : 0;
    state.page = page + 1;
    state.total = total;
    state.isPassDone =
      ids.length === 0 || (last_page !== null && page >= last_page) || state.repeatedPages >= MAX_REPEATED_PAGES;
  };

  const want = (id: number): void => void entries.set(id, (entries.get(id) ?? 0) | WANTED);

  const mark = (id: number, bit: number): void => {
    const before = entries.get(id) ?? 0;
    const after = before | bit;
    if (isDone(after) && !isDone(before)) state.done += 1;
    if ((after & GONE) > (before & GONE)) state.gone += 1;
    entries.set(id, after);
  };

  return {
    state,
    want,
    add: (record: JournalRecord): void => {
      const id = "pass" in record ? null : idInUrl(record.url);
      if ("pass" in record) addPage(record);
      else if (id !== null)
        mark(id, record.gone !== undefined ? GONE : record.url.includes("credentials") ? CREDENTIALS : PASSPORT);
    },
    isListed: (id: number): boolean => ((entries.get(id) ?? 0) & FOUND) !== 0,
    hasPassport: (id: number): boolean => ((entries.get(id) ?? 0) & PASSPORT) !== 0,
    /** The people to fetch. */
    listMissing: (): number[] =>
      [...entries].filter(([, entry]) => (entry & WANTED) !== 0 && !isDone(entry)).map(([id]) => id),
    size: (): number => entries.size,
  };
}
