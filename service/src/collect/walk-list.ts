import type { Journal, PageRecord } from "./journal.ts";
import { isObject, readId } from "./observe.ts";
import { CollectStopped, type Get, RequestFailed } from "./paced-client.ts";
import { PARTS, type Previous } from "./previous.ts";
import { MAX_PEOPLE, type ProgressState } from "./progress-state.ts";

export const PEOPLE_PER_PAGE = 100;

export type Walk = {
  get: Get;
  journal: Journal;
  progress: ProgressState;
  previous: Previous | null;
  /** Gets the body of each page. */
  onBody: (body: unknown) => void;
  onPage: (found: number, page: number, lastPage: number | null) => void;
};

/** Requests the rest of the current pass, or the next pass if it is done. */
export async function walkPass(walk: Walk): Promise<void> {
  const { state } = walk.progress;
  let { pass } = state;
  if (state.isPassDone) {
    pass += 1;
    state.page = 1;
  }
  do await walkPage(walk, pass, state.page);
  while (!state.isPassDone);
}

const CHECK_URL = "Check the URL: it ends before /api/v1.";

/** Requests one page. The first one of a collection shows how long it will take. */
export async function walkPage(walk: Walk, pass: number, page: number): Promise<void> {
  const { get, journal, progress, previous, onBody, onPage } = walk;
  const url = `/api/v1/passports?page=${page}&per_page=${PEOPLE_PER_PAGE}`;
  const { at, body } = await get(url).catch((error) => {
    if (!(error instanceof RequestFailed)) throw error;
    const message = `Page ${page} of the list cannot be read: ${error.message}.`;
    throw page === 1 ? new CollectStopped(message, CHECK_URL) : new CollectStopped(message);
  });
  if (!isObject(body) || !Array.isArray(body.passports)) {
    throw new CollectStopped(`The response to ${url} is not a page of the V1 list.`, CHECK_URL);
  }
  onBody(body);
  const entries = body.passports.filter(isObject).flatMap((entry) => {
    const id = readId(entry.passport_id);
    return id === null ? [] : [{ id, entry }];
  });
  const ids = [...new Set(entries.map(({ id }) => id))];
  const changed =
    previous === null
      ? {}
      : {
          changed: entries.flatMap(({ id, entry }) =>
            previous.isChanged(id, entry) || id % PARTS === previous.part ? id : [],
          ),
        };
  const record: PageRecord = { url, status: 200, at, pass, page, ...readPagination(body, page), ids, ...changed };
  await journal.append(record);
  progress.add(record);
  onPage(progress.state.found, page, record.last_page);
  if (progress.size() <= MAX_PEOPLE) return;
  throw new CollectStopped(
    `The list has more than ${MAX_PEOPLE} people.`,
    "Collect them in parts, with --ids and a folder for each part.",
  );
}

function readPagination(
  { pagination }: Record<string, unknown>,
  page: number,
): Pick<PageRecord, "last_page" | "total"> {
  const { current_page, last_page, total } = isObject(pagination) ? pagination : {};
  const count = (value: unknown) => (Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : null);
  // A server that ignores `page` sends the first page again.
  const isIgnored = count(current_page) !== null && current_page !== page;
  return { last_page: isIgnored ? page : count(last_page), total: count(total) };
}
