import type { Journal, PersonRecord } from "./journal.ts";
import { isObject, readId } from "./observe.ts";
import { type Answer, type Get, RequestFailed } from "./paced-client.ts";
import type { ProgressState } from "./progress-state.ts";
import { isListOrNull } from "./read-response.ts";

export type Fetch = {
  get: Get;
  journal: Journal;
  progress: ProgressState;
  /** Of these ids, those of people who were erased. They are not requested. */
  findErased: (ids: readonly number[]) => Promise<ReadonlySet<number>>;
  erased: Set<number>;
  /** Why the last attempt to fetch a person failed. */
  failed: Map<number, string>;
  /** Gets the body of each response that is kept. */
  onBody: (body: unknown) => void;
  onPerson: (done: number, total: number) => void;
};

const BATCH_PEOPLE = 250;

/** Fetches all people that are missing. Those that fail are tried again in the next pass. */
export async function fetchMissing(fetch: Fetch): Promise<void> {
  const missing = fetch.progress.listMissing().filter((id) => !fetch.erased.has(id));
  for (let start = 0; start < missing.length; start += BATCH_PEOPLE) {
    const batch = missing.slice(start, start + BATCH_PEOPLE);
    const erased = await fetch.findErased(batch);
    for (const [index, id] of batch.entries()) {
      if (erased.has(id)) fetch.erased.add(id);
      else await fetchPerson(fetch, id);
      fetch.onPerson(start + index + 1, missing.length);
    }
  }
}

async function fetchPerson({ get, journal, progress, failed, onBody }: Fetch, id: number): Promise<void> {
  const record = async (entry: PersonRecord, { body }: Answer): Promise<void> => {
    await journal.append(entry);
    progress.add(entry);
    if (entry.body !== undefined) onBody(body);
  };
  try {
    if (!progress.hasPassport(id)) {
      const answer = await get(`/api/v1/passports/${id}`);
      const entry = readPassport(id, answer);
      await record(entry, answer);
      if (entry.gone !== undefined) return void failed.delete(id);
    }
    const answer = await get(`/api/v1/passport_credentials?passport_id=${id}`);
    await record(readCredentials(id, answer), answer);
    failed.delete(id);
  } catch (error) {
    if (!(error instanceof RequestFailed)) throw error;
    failed.set(id, error.message);
  }
}

function readPassport(id: number, { at, status, body, text, isV1Error = false }: Answer): PersonRecord {
  const entry = { url: `/api/v1/passports/${id}`, status, at };
  if (isV1Error || (isObject(body) && body.passport === null)) return { ...entry, gone: "the server has it no more" };
  if (body === null)
    return { ...entry, gone: `the response with status ${status} is not in the form of V1`, isUnsure: true };
  if (!isObject(body) || !isObject(body.passport)) throw new RequestFailed("the response is not a passport");
  const found = readId(body.passport.passport_id);
  if (found === id) return { ...entry, body: text };
  if (found === null) throw new RequestFailed("the response has no passport_id");
  return { ...entry, gone: `the server answers with passport ${found}` };
}

function readCredentials(id: number, { at, status, body, text }: Answer): PersonRecord {
  if (isObject(body) && isListOrNull(body.passport_credentials)) {
    return { url: `/api/v1/passport_credentials?passport_id=${id}`, status, at, body: text };
  }
  throw new RequestFailed(status === 404 ? "its credentials have status 404" : "the response has no credentials");
}
