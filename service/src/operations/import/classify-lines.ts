import { findOptedOutWallets } from "#operations/holders/find-opted-out-wallets.ts";
import type { Connection } from "#store/engine/database.ts";
import { listOptedOutIds } from "#store/holders/opt-outs.ts";
import { insertGivenPeople } from "#store/people/seen-people.ts";
import { findMergeCircles } from "./find-merge-cycles.ts";
import type { GivenLine, LineContent, PersonLine, Place, RefusedLine } from "./import-run.ts";

export type SortedLines = {
  people: PersonLine[];
  /** How many lines hold people whose stored state comes from the same line. */
  unchanged: number;
  /** How many lines hold somebody who opted out. */
  optedOut: number;
  /** The ids of these, as far as they may be stored. */
  toErase: number[];
  refused: RefusedLine[];
  /** Of the wallets in this batch, those that opted out. */
  wallets: ReadonlySet<string>;
};

type ReadContent = Exclude<LineContent, { kind: "refused" }>;
type ReadLine = GivenLine & { content: ReadContent };

/**
 * Decides what becomes of each line of a batch, under the lock of people. Of several lines with one passport_id the first counts, in
 * this batch or in an earlier one. Opt-outs are looked for in lines that parsed, and the first line of a person decides whether
 * what is stored of them is erased.
 */
export async function sortLines(
  connection: Connection,
  batch: readonly GivenLine[],
  optOutKey: string | null,
): Promise<SortedLines> {
  const optOuts = await findOptOuts(connection, batch, optOutKey);
  const read = batch.filter(isRead);
  const places = await notePlaces(connection, read);
  const isFirst = ({ file, line, content }: ReadLine): boolean => {
    const place = places.get(idOf(content));
    return place?.file === file && place.line === line.number;
  };
  const out = read.filter(({ content }) => optOuts.has(namedIn(content)));
  const kept = read.filter(({ content }) => !optOuts.has(namedIn(content)));
  const first = kept.filter(isFirst);
  const people = first.flatMap(({ content, ...place }) => {
    if (content.kind !== "person") return [];
    const { person, scores } = content;
    return [{ ...place, person, scores }];
  });
  const circular = await findMergeCircles(
    connection,
    people.map((line) => line.person),
  );
  return {
    people: people.filter(({ person }) => !circular.has(person.passport_id)),
    unchanged: first.length - people.length,
    optedOut: out.length,
    toErase: out.filter(isFirst).map(({ content }) => idOf(content)),
    refused: [
      ...batch.flatMap(({ content, ...place }) =>
        content.kind === "refused"
          ? [{ ...place, refusal: content.refusal, withheld: optOuts.has(content.guessed) }]
          : [],
      ),
      ...kept
        .filter((line) => !isFirst(line))
        .map((line) => refuse(line, "passport.passport_id", describeRepeat(places.get(idOf(line.content))))),
      ...people.flatMap((line) => {
        const circle = circular.get(line.person.passport_id);
        return circle === undefined ? [] : [refuse(line, "operator.merged_into", circle)];
      }),
    ],
    wallets: optOuts.wallets,
  };
}

const isRead = (line: GivenLine): line is ReadLine => line.content.kind !== "refused";

const refuse = ({ file, line }: Place, field: string, reason: string): RefusedLine => ({
  file,
  line,
  refusal: { field, reason },
  withheld: false,
});

const describeRepeat = (place: { file: string; line: number } | undefined): string =>
  `stands on line ${place?.line} of ${place?.file} already`;

type Named = { passport_id: number | null; main_wallet?: string | null; wallets?: readonly (string | null)[] };

const namedIn = (content: LineContent): Named => {
  if (content.kind === "person") return content.person;
  return content.kind === "refused" ? content.guessed : content;
};

const idOf = (content: ReadContent): number =>
  content.kind === "person" ? content.person.passport_id : content.passport_id;

const mainWalletOf = ({ main_wallet, wallets }: Named): string | null => main_wallet ?? wallets?.[0] ?? null;

/** Which of the people in a batch opted out, by id or by main wallet. */
async function findOptOuts(connection: Connection, batch: readonly GivenLine[], key: string | null) {
  const named = batch.map(({ content }) => namedIn(content));
  const ids = new Set(
    await listOptedOutIds(
      connection,
      named.flatMap(({ passport_id }) => passport_id ?? []),
    ),
  );
  const addresses = named.flatMap((one) => one.wallets ?? [mainWalletOf(one)]).filter((address) => address !== null);
  const wallets = await findOptedOutWallets(connection, key, addresses);
  const has = (one: Named): boolean =>
    (one.passport_id !== null && ids.has(one.passport_id)) || wallets.has(mainWalletOf(one) ?? "");
  return { has, wallets };
}

/** Notes where each person stands first, and returns it. */
async function notePlaces(connection: Connection, lines: readonly ReadLine[]) {
  const places = new Map<number, { file: string; line: number }>();
  for (const { content, file, line } of lines) {
    const id = idOf(content);
    if (!places.has(id)) places.set(id, { file, line: line.number });
  }
  const noted = [...places].map(([passport_id, place]) => ({ passport_id, ...place }));
  for (const { passport_id, ...place } of await insertGivenPeople(connection, noted)) places.set(passport_id, place);
  return places;
}
