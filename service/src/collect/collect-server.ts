import { hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { splitLines } from "#core/files/lines.ts";
import type { FieldCounts } from "#snapshots/format/field-counts.ts";
import { createExchange, type ExchangeOptions } from "./exchange.ts";
import { type Fetch, fetchMissing } from "./fetch-people.ts";
import { type Journal, type JournalRecord, openJournal } from "./journal.ts";
import { type FieldNotes, NO_NOTES } from "./lossless.ts";
import type { Observation } from "./observation.ts";
import { createClient, createTraffic, secondsPerRequest, type Traffic } from "./paced-client.ts";
import { openPrevious, PARTS, type Previous } from "./previous.ts";
import { createProgressState, type ProgressState } from "./progress-state.ts";
import { idInUrl, readResponse } from "./read-response.ts";
import { MAX_BODY_BYTES } from "./read-saved.ts";
import { openStateFolder, type StateFolder } from "./state-folder.ts";
import { PEOPLE_PER_PAGE, type Walk, walkPage, walkPass } from "./walk-list.ts";
import { type Collected, UnknownFieldsRefused, type WriteOptions, writeCollected } from "./write-collected.ts";

export type ServerOptions = Omit<WriteOptions, "source" | "previous" | "onProgress"> &
  Omit<ExchangeOptions, "base"> & {
    fields: FieldCounts;
    rate: number;
    /** Only these people; null for all. */
    ids: readonly number[] | null;
    /** The folder of an earlier snapshot; null for a complete collection. */
    since: string | null;
    findErased: Fetch["findErased"];
    onPlan: (plan: Plan) => void;
    onPass: (pass: Pass) => void;
    onPage: Walk["onPage"];
    onFetched: (done: number, total: number, traffic: Readonly<Traffic>) => void;
    onWritten: (people: number) => void;
    onWait: (seconds: number) => void;
  };

/**
 * `people` is null if the server does not say how many there are. `hasMore`: changed people come in
 * addition.
 */
export type Plan = {
  hasMore: boolean;
  people: number | null;
  isResumed: boolean;
  done: number;
  requests: number;
  seconds: number;
};
export type Pass = { pass: number; newPeople: number; found: number; total: number | null };
export type CollectedFromServer = Collected & {
  found: number;
  total: number | null;
  passes: number;
  /** The last pass still found new people. */
  isUnsettled: boolean;
  /** Responses are kept because some people were rejected. */
  keptResponses: string | null;
};

/** Collects people from an old server. Returns null if an earlier run has already finished. */
export async function collectServer(
  base: string,
  out: string,
  options: ServerOptions,
): Promise<CollectedFromServer | null> {
  const state = await openStateFolder(out);
  try {
    if (state.isFinished) {
      await state.remove();
      return null;
    }
    const previous = options.since === null ? null : await openPrevious(options.since, options.nulls);
    const progress = createProgressState();
    const purpose = { collect: 1, server: base, mode: describeMode(options.ids, previous) } as const;
    const journal = await openJournal(state.pathOf("journal.ndjson"), purpose, progress.add);
    try {
      return await collect({ base, options, state, previous, progress, journal });
    } finally {
      await journal.close();
    }
  } finally {
    state.release();
  }
}

const describeMode = (ids: readonly number[] | null, previous: Previous | null): string =>
  ids !== null
    ? `${ids.length} ids (${hash("sha256", ids.join()).slice(0, 8)})`
    : previous !== null
      ? `changes since ${previous.createdAt}`
      : "everybody";

type Run = {
  base: string;
  options: ServerOptions;
  state: StateFolder;
  previous: Previous | null;
  progress: ProgressState;
  journal: Journal;
};

async function collect(run: Run): Promise<CollectedFromServer> {
  const { base, options, previous, progress, journal } = run;
  const traffic = createTraffic();
  const get = createClient({ ...options, traffic, exchange: createExchange({ ...options, base }) });
  const failed = new Map<number, string>();
  const erased = new Set<number>();
  const { findErased } = options;
  const onPerson = (done: number, total: number) => options.onFetched(done, total, traffic);
  const onBody = createFieldCheck(options);
  const fetch: Fetch = { get, journal, progress, failed, erased, findErased, onBody, onPerson };
  const walk: Walk = { get, journal, progress, previous, onBody, onPage: options.onPage };
  const isResumed = progress.size() > 0;
  if (options.ids !== null) {
    for (const id of options.ids) progress.want(id);
    options.onPlan(planFor(run, options.ids.length, isResumed, traffic));
    await fetchMissing(fetch);
  } else {
    if (progress.state.pass === 0) await walkPage(walk, 1, 1);
    options.onPlan(planFor(run, progress.state.total, isResumed, traffic));
    await walkUntilSettled(walk, fetch, options.onPass);
    if (previous !== null) await fetchUnlisted(previous, fetch);
  }
  return finish(run, failed, erased);
}

/** Passes after which the list is taken as it is, even if it goes on changing. */
const MAX_PASSES = 10;

/**
 * Walks the list and fetches people until a pass finds nobody new. The list changes meanwhile, and
 * a person who moves from a later page to an earlier one is missed by a pass. So as long as fewer
 * people are found than the server reports, a second pass without a new person is required.
 */
async function walkUntilSettled(walk: Walk, fetch: Fetch, onPass: (pass: Pass) => void): Promise<void> {
  const { state } = walk.progress;
  for (;;) {
    if (!state.isPassDone) await walkPass(walk);
    await fetchMissing(fetch);
    onPass({ pass: state.pass, newPeople: state.newInPass, found: state.found, total: state.total });
    if (isSettled(walk.progress) || state.pass >= MAX_PASSES) return;
    await walkPass(walk);
  }
}

function isSettled({ state }: ProgressState): boolean {
  const isComplete = state.found - state.gone >= (state.total ?? 0);
  return state.newInPass === 0 && (isComplete || (state.pass > 1 && state.newInPreviousPass === 0));
}

/**
 * People of the previous snapshot that the list no longer has may be gone, merged or hidden. Those
 * that were kept without a valid response may have one now.
 */
async function fetchUnlisted(previous: Previous, fetch: Fetch): Promise<void> {
  for (const id of previous.ids()) {
    const isDue = id % PARTS === previous.part || !previous.isMerged(id);
    if (previous.keptSince(id) !== null || (isDue && !fetch.progress.isListed(id))) fetch.progress.want(id);
  }
  await fetchMissing(fetch);
}

const CHECKED_BODIES = 10;

/** Unknown fields in the first responses end the collection before it has cost days. */
function createFieldCheck({ fields, unknownFields }: ServerOptions): (body: unknown) => void {
  let bodies = 0;
  return (body) => {
    if (unknownFields === "drop" || bodies >= CHECKED_BODIES) return;
    bodies += 1;
    // The URL is needed for the id of credentials only, which does not matter here.
    const origin = { file: "", url: "/passports/1", at: null, id: null };
    // Conversions are counted when the journal is read.
    for (const _ of readResponse(body, origin, { ...NO_NOTES, addUnknown: fields.addUnknown }));
    if (fields.listUnknown().length > 0) throw new UnknownFieldsRefused(fields.listUnknown());
  };
}

function planFor(
  { options, previous, progress }: Run,
  people: number | null,
  isResumed: boolean,
  traffic: Traffic,
): Plan {
  const { rate, ids } = options;
  const { done } = progress.state;
  const count = people ?? 0;
  const pages = ids === null ? 2 * Math.ceil(count / PEOPLE_PER_PAGE) : 0;
  const fetched = previous === null ? Math.max(0, count - done) : Math.ceil(count / PARTS);
  const requests = pages + 2 * fetched;
  return {
    people,
    isResumed,
    done,
    requests,
    seconds: requests * secondsPerRequest(traffic, rate),
    hasMore: previous !== null,
  };
}

async function finish(run: Run, failed: Map<number, string>, erased: Set<number>): Promise<CollectedFromServer> {
  const { base, options, state, previous, progress, journal } = run;
  const { found, total, pass: passes, newInPass } = progress.state;
  const observations = async function* (): AsyncGenerator<Observation> {
    const isSkipped = (id: number) => failed.has(id) || erased.has(id);
    yield* readJournal(journal.path, isSkipped, options.fields);
    if (previous !== null) yield* previous.read();
  };
  const collected = await writeCollected(
    observations(),
    state,
    {
      ...options,
      source: base,
      previous,
      collected: { ...options.collected, ...(previous !== null && { part: previous.part }) },
      onProgress: options.onWritten,
    },
    (add) => {
      for (const [id, reason] of failed) {
        const kept = previous?.has(id) ? "; its previous record is kept" : "";
        add({ passport_id: id, outcome: "failed", reason: `${reason}${kept}` });
      }
      for (const id of erased) if (!previous?.has(id)) add({ passport_id: id, outcome: "erased" });
    },
  );
  const keptResponses = collected.counts.rejected > 0 ? await state.keepResponses("journal.ndjson") : null;
  await state.publish();
  await state.remove();
  return { ...collected, found, total, passes, isUnsettled: options.ids === null && newInPass > 0, keptResponses };
}

/** The responses in a journal. `isSkipped`: people whose responses are incomplete or unwanted. */
async function* readJournal(
  path: string,
  isSkipped: (id: number) => boolean,
  notes: FieldNotes,
): AsyncGenerator<Observation> {
  for await (const lines of splitLines(createReadStream(path), 2 * MAX_BODY_BYTES)) {
    for (const { bytes } of lines) {
      const record: JournalRecord = JSON.parse(bytes.toString("utf8"));
      const id = "pass" in record || record.url === undefined ? null : idInUrl(record.url);
      if (id === null || "pass" in record || isSkipped(id)) continue;
      const origin = { file: path, url: record.url, at: null, id };
      for (const found of readResponse(record, origin, notes)) if ("id" in found && !("reason" in found)) yield found;
    }
  }
}
