import type { Connection } from "#core/database/database.ts";
import { insertSeenPeople } from "#people/facts/seen-people.ts";
import type { Fault } from "#snapshots/format/find-faults.ts";
import { findOptedOutLines } from "./find-opted-out-lines.ts";
import type { ImportRun, IncomingLine, LineContent, PersonLine, Place, RefusedLine } from "./import-run.ts";

export type ClassifiedLines = {
  people: PersonLine[];
  /** Number of lines that are identical to the one that the stored person was imported from. */
  unchanged: number;
  /** Number of lines with a person who opted out. */
  optedOutLines: number;
  /** Ids of people who opted out. They may be stored. */
  toErase: number[];
  refused: RefusedLine[];
  /** Of the wallets in this batch, those that opted out. */
  optedOutWallets: ReadonlySet<string>;
};

type ReadContent = Exclude<LineContent, { kind: "refused" }>;
type ReadLine = IncomingLine & { content: ReadContent };

/**
 * Decides what becomes of each line of a batch, under the lock of people. Of several lines with one
 * passport_id the first counts, in this batch or an earlier one. Only lines that were read can
 * erase a person.
 */
export async function classifyLines(
  connection: Connection,
  batch: readonly IncomingLine[],
  run: Pick<ImportRun, "optOutKeys">,
): Promise<ClassifiedLines> {
  const optOuts = await findOptedOutLines(connection, batch, run);
  const read = batch.filter(isRead);
  const places = await recordPlaces(connection, read);
  const isFirst = ({ file, line, content }: ReadLine): boolean => {
    const place = places.get(idOf(content));
    return place?.file === file && place.line === line.number;
  };
  const optedOut = read.filter(({ content }) => optOuts.has(content));
  const wanted = read.filter(({ content }) => !optOuts.has(content));
  const first = wanted.filter(isFirst);
  const people = first.flatMap(({ content, ...place }) => {
    if (content.kind !== "person") return [];
    const { incoming, person } = content;
    return [{ ...place, incoming, person }];
  });
  return {
    people,
    unchanged: first.length - people.length,
    optedOutLines: optedOut.length,
    toErase: optedOut.filter(isFirst).map(({ content }) => idOf(content)),
    refused: [
      ...batch.flatMap(({ content, ...place }) =>
        content.kind === "refused" ? [{ ...place, refusal: content.refusal, withheld: optOuts.has(content) }] : [],
      ),
      ...wanted
        .filter((line) => !isFirst(line))
        .map((line) => refuse(line, duplicateOf(places.get(idOf(line.content))))),
    ],
    optedOutWallets: optOuts.wallets,
  };
}

const isRead = (line: IncomingLine): line is ReadLine => line.content.kind !== "refused";

const refuse = ({ file, line }: Place, refusal: Fault): RefusedLine => ({ file, line, refusal, withheld: false });

const duplicateOf = (place: { file: string; line: number } | undefined): Fault => ({
  field: "passport.passport_id",
  reason: `is already on line ${place?.line} of ${place?.file}`,
  kind: "is already on another line",
});

const idOf = (content: ReadContent): number =>
  content.kind === "person" ? content.person.passport_id : content.passport_id;

/** Records the first place of each person in this import, and returns it. */
async function recordPlaces(connection: Connection, lines: readonly ReadLine[]) {
  const places = new Map<number, { file: string; line: number }>();
  for (const { content, file, line } of lines) {
    const id = idOf(content);
    if (!places.has(id)) places.set(id, { file, line: line.number });
  }
  const rows = [...places].map(([passport_id, place]) => ({ passport_id, ...place }));
  for (const { passport_id, ...place } of await insertSeenPeople(connection, rows)) places.set(passport_id, place);
  return places;
}
