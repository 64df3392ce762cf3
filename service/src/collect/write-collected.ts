import { rm } from "node:fs/promises";
import type { Person } from "@credence/contract/person.ts";
import type { Manifest } from "@credence/contract/snapshot.ts";
import { writeSnapshot } from "#core/files/write-snapshot.ts";
import type { FieldCount, FieldCounts } from "#snapshots/format/field-counts.ts";
import type { UnknownFields } from "#snapshots/format/validate-line.ts";
import { type Assembled, assemblePeople, type Outcome } from "./assemble.ts";
import type { Observation } from "./observation.ts";
import { type Counts, createReport } from "./report.ts";
import { sortObservations } from "./sort-observations.ts";
import type { StateFolder } from "./state-folder.ts";

/** The ids of the people who opted out. */
type FindOptedOut = (people: readonly Person[]) => Promise<ReadonlySet<number>>;

export type WriteOptions = {
  source: string;
  collected: NonNullable<Manifest["collected"]>;
  incomplete: boolean;
  unknownFields: UnknownFields;
  fields: FieldCounts;
  findOptedOut: FindOptedOut;
  onProgress: (people: number) => void;
};

/** `examples`: the first ids of each outcome but `collected`. */
export type Collected = {
  manifest: Manifest;
  counts: Counts;
  examples: Record<string, number[]>;
  reasons: [string, number][];
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
    const sorted = requireKnownFields(sortObservations(observations, state.pathOf("sorting")), options);
    const people = assemblePeople(sorted, {
      incomplete: options.incomplete,
      onInvalid: (person) => options.fields.addWrongTypes(person, ""),
    });
    const content = {
      source: options.source,
      createdAt: new Date(),
      people: leaveOut(people, options.findOptedOut, report.add),
      optOuts: null,
      privateKey: null,
      collected: options.collected,
    };
    const manifest = await writeSnapshot(state.pathOf("snapshot"), content, options.onProgress);
    return { manifest, ...report.result() };
  } finally {
    report.close();
  }
}

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

async function* leaveOut(
  assembled: AsyncIterable<Assembled>,
  findOptedOut: FindOptedOut,
  addOutcome: (outcome: Outcome) => void,
): AsyncGenerator<Person> {
  let batch: Assembled[] = [];
  const flush = async function* () {
    const optedOut = await findOptedOut(batch.flatMap(({ person }) => person ?? []));
    for (const { person, outcomes } of batch) {
      const id = person?.passport.passport_id ?? null;
      if (id !== null && optedOut.has(id)) addOutcome({ passport_id: id, outcome: "opted out" });
      else {
        for (const outcome of outcomes) addOutcome(outcome);
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
