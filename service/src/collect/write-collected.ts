import { rm } from "node:fs/promises";
import type { Person } from "@credence/contract/person.ts";
import type { Manifest } from "@credence/contract/snapshot.ts";
import { type PersonLine, printPerson, writeSnapshot } from "#core/files/write-snapshot.ts";
import type { FieldCount, FieldCounts } from "#snapshots/format/field-counts.ts";
import type { UnknownFields } from "#snapshots/format/validate-line.ts";
import { assemblePeople } from "./assemble.ts";
import type { KeptFrom } from "./keep-previous.ts";
import type { NullValues } from "./null-values.ts";
import type { Observation } from "./observation.ts";
import type { Assembled, Outcome } from "./outcome.ts";
import { CollectStopped } from "./paced-client.ts";
import { type Counts, createReport } from "./report.ts";
import { sortObservations } from "./sort-observations.ts";
import type { StateFolder } from "./state-folder.ts";

/** Of these ids, those of people who were erased here. */
type FindErased = (ids: readonly number[]) => Promise<ReadonlySet<number>>;

export type WriteOptions = {
  source: string;
  collected: NonNullable<Manifest["collected"]>;
  incomplete: boolean;
  unknownFields: UnknownFields;
  nulls: NullValues;
  /** The snapshot of --since; null if there is none. */
  previous: KeptFrom | null;
  fields: FieldCounts;
  findErased: FindErased;
  onProgress: (people: number) => void;
};

/**
 * `examples`: the first ids of each outcome but `collected`. `replaced`: by field, the people whose null
 * was replaced. `kept`: the people who keep a previous record, and the age of the oldest one.
 */
export type Collected = {
  manifest: Manifest;
  counts: Counts;
  examples: Record<string, number[]>;
  reasons: [string, number][];
  replaced: Record<string, number>;
  kept: { people: number; oldest_days: number };
};

/** The responses have fields that V1 does not have, and nobody has allowed to drop them. */
export class UnknownFieldsRefused extends Error {
  override name = "UnknownFieldsRefused";
  readonly fields: FieldCount[];

  constructor(fields: FieldCount[]) {
    super("The responses have fields that V1 does not have.");
    this.fields = fields;
  }
}

/**
 * Writes observations as a snapshot into the state folder, sorted by id and without a trace of
 * where they come from: equal people give equal files. `addOutcomes` adds what is known already.
 */
export async function writeCollected(
  observations: AsyncIterable<Observation>,
  state: StateFolder,
  options: WriteOptions,
  addOutcomes: (add: (outcome: Outcome) => void) => void = () => {},
): Promise<Collected> {
  await rm(state.pathOf("snapshot"), { recursive: true, force: true });
  const report = createReport(state.pathOf("report"));
  try {
    addOutcomes(report.add);
    const kept = createKept();
    const sorted = requireKnownFields(sortObservations(observations, state.pathOf("sorting")), options);
    const people = assemblePeople(sorted, {
      incomplete: options.incomplete,
      nulls: options.nulls,
      previous: options.previous,
      onInvalid: (person) => options.fields.addWrongTypes(person, ""),
    });
    const content = {
      source: options.source,
      createdAt: new Date(),
      people: printPeople(leaveOut(people, options.findErased, report.add, kept.add)),
      decisions: null,
      privateKey: null,
      findCollected: () => ({
        ...options.collected,
        ...(report.replaced.size > 0 && { replaced: Object.fromEntries(report.replaced) }),
        ...kept.result(),
      }),
    };
    const manifest = await writeSnapshot(state.pathOf("snapshot"), content, options.onProgress);
    return { manifest, ...report.result() };
  } finally {
    report.close();
  }
}

/** The manifest has at most 16 MiB. */
const MAX_KEPT = 500_000;

/** People who are kept without a valid response, by the time since when. */
function createKept() {
  const kept = new Map<string, number[]>();
  let people = 0;
  return {
    add: (id: number, since: string): void => {
      people += 1;
      if (people > MAX_KEPT) throw new CollectStopped(...TOO_MANY_KEPT);
      const ids = kept.get(since) ?? [];
      ids.push(id);
      kept.set(since, ids);
    },
    result: (): Pick<NonNullable<Manifest["collected"]>, "kept"> =>
      people === 0 ? {} : { kept: [...kept].map(([since, passport_ids]) => ({ since, passport_ids })) },
  };
}

const TOO_MANY_KEPT = [
  `The responses of more than ${MAX_KEPT} people cannot be used.`,
  "The server sends something new. Correct the responses of a few people first, with --ids and without --since.",
] as const;

/** All observations have been read when the first sorted one arrives. */
async function* requireKnownFields(
  sorted: AsyncGenerator<Observation>,
  { unknownFields, fields }: WriteOptions,
): AsyncGenerator<Observation> {
  let isChecked = false;
  const check = () => {
    isChecked = true;
    const unknown = fields.listUnknown();
    if (unknownFields === "refuse" && unknown.length > 0) throw new UnknownFieldsRefused(unknown);
  };
  for await (const observation of sorted) {
    if (!isChecked) check();
    yield observation;
  }
  if (!isChecked) check();
}

const BATCH_PEOPLE = 50;

async function* printPeople(people: AsyncIterable<Person>): AsyncGenerator<PersonLine> {
  for await (const person of people) yield printPerson(person);
}

async function* leaveOut(
  assembled: AsyncIterable<Assembled>,
  findErased: FindErased,
  addOutcome: (outcome: Outcome) => void,
  addKept: (id: number, since: string) => void,
): AsyncGenerator<Person> {
  let batch: Assembled[] = [];
  const flush = async function* () {
    const erased = await findErased(batch.flatMap(({ person }) => person?.passport.passport_id ?? []));
    for (const { person, outcomes, keptSince } of batch) {
      const id = person?.passport.passport_id ?? null;
      if (id !== null && erased.has(id)) addOutcome({ passport_id: id, outcome: "erased" });
      else {
        for (const outcome of outcomes) addOutcome(outcome);
        if (id !== null && keptSince !== undefined) addKept(id, keptSince);
        if (person !== null) yield person;
      }
    }
    batch = [];
  };
  for await (const item of assembled) {
    batch.push(item);
    if (batch.length === BATCH_PEOPLE) yield* flush();
  }
  yield* flush();
}
