import { grantServing } from "#operations/access/grant-serving.ts";
import { savePeople } from "#operations/write/save-people.ts";
import { type Database, openDatabase } from "#store/engine/database.ts";
import { openHolderRequests } from "#store/holder-requests/serve-requests.ts";
import { person, wallet } from "#testing/people.ts";
import { administer, ensureRole, SERVE_ROLE } from "#testing/server.ts";
import { withProofDatabase } from "./harness.ts";

/** Of a standard normal distribution, 99 % are below. */
const Z_99 = 2.326;
/** The accepted advantage over chance of somebody who guesses from one measurement. */
const MAX_ADVANTAGE = 0.05;

/** What is stored about the passport. A `holder` signs with a wallet that it lists. */
const CLASSES = ["unknown", "visible", "hidden", "visible holder", "hidden holder"] as const;
type Class = (typeof CLASSES)[number];

/** Pairs that nobody may tell apart: whether a passport is stored, and whether it is hidden. */
const PAIRS: readonly (readonly [Class, Class])[] = [
  ["unknown", "visible"],
  ["unknown", "hidden"],
  ["visible", "hidden"],
  ["visible holder", "hidden holder"],
];
/** Only reported: whether a record lists a wallet is no secret from the person who signs with it. */
const LISTED_OR_NOT = ["visible", "visible holder"] as const;

/**
 * The durations of `enqueue` reveal neither whether a passport is stored nor whether it is hidden.
 *
 * The statistic of two classes is A, the probability that a call of the second takes longer than a
 * call of the first (Mann–Whitney U divided by n²). It is 0.5 for equal durations, and a guess from
 * one measurement is right with a probability of about A. An equivalence test: the pair passes if
 * |A - 0.5| + 2.326 standard errors is below 0.05, so a true advantage of 0.05 passes with a
 * probability of 1 % at most. The standard error is sqrt((2n + 1) / 12) / n. From n = 1,000 calls
 * per class, equal durations pass with a probability of at least 99 %.
 */
export function proveEnqueueTiming(calls: number) {
  return withProofDatabase(async ({ url, database }) => {
    await administer((admin) => ensureRole(admin, SERVE_ROLE));
    await grantServing(database, SERVE_ROLE);
    await savePopulation(database, calls);
    const serveUrl = new URL(url);
    serveUrl.username = SERVE_ROLE;
    const serve = openDatabase({ url: serveUrl.href, name: "proof", maxConnections: 1, statementTimeoutMs: 0 });
    try {
      const durations = await measure(serve, calls);
      const pairs = PAIRS.map(([first, second]) => comparePair(durations, first, second));
      const not_met = pairs.filter(
        ({ advantage, standard_error }) => advantage + Z_99 * standard_error >= MAX_ADVANTAGE,
      );
      return { calls_per_class: calls, pairs, listed_or_not: comparePair(durations, ...LISTED_OR_NOT), not_met };
    } finally {
      await serve.end();
    }
  });
}

const idOf = (of: Class, at: number): number => at * CLASSES.length + CLASSES.indexOf(of) + 1;

async function savePopulation(database: Database, calls: number): Promise<void> {
  const stored = CLASSES.filter((of) => of !== "unknown");
  const people = Array.from({ length: calls }, (_, at) =>
    stored.map((of) => {
      const id = idOf(of, at);
      return person(id, { main_wallet: wallet(id) }, { operator: { hidden: of.startsWith("hidden") } });
    }),
  ).flat();
  for (let at = 0; at < people.length; at += 1_000) await savePeople(database, people.slice(at, at + 1_000));
  await database.query("vacuum analyze");
}

/** The classes take turns in random order, so that changes of the machine's load affect all alike. */
async function measure(serve: Database, calls: number): Promise<Record<Class, number[]>> {
  const durations = Object.fromEntries(CLASSES.map((of) => [of, [] as number[]])) as Record<Class, number[]>;
  const { enqueue } = openHolderRequests(serve);
  const responses = new Set<string>();
  for (let at = 0; at < calls; at++) {
    for (const of of CLASSES.toSorted(() => Math.random() - 0.5)) {
      const passportId = idOf(of, at);
      const address = wallet(of.endsWith("holder") ? passportId : 2 ** 40 + passportId);
      const texts = { message: "a".repeat(400), signature: "a".repeat(132), nonce: `${of} ${at}` };
      const started = performance.now();
      const receipt = await enqueue({ action: "hide", passportId, address, ...texts });
      durations[of].push(performance.now() - started);
      responses.add(JSON.stringify(receipt).replaceAll(/[0-9a-f]/g, "x"));
    }
  }
  if (responses.size !== 1) throw new Error(`Responses differ: ${[...responses].join(", ")}`);
  return durations;
}

function comparePair(durations: Record<Class, number[]>, first: Class, second: Class) {
  const [a, b] = [durations[first], durations[second]];
  const n = a.length;
  const round = (value: number) => Number(value.toFixed(4));
  return {
    pair: `${first} | ${second}`,
    median_ms: [round(medianOf(a)), round(medianOf(b))],
    advantage: round(Math.abs(countGreater(a, b) / (n * n) - 0.5)),
    standard_error: round(Math.sqrt((2 * n + 1) / 12) / n),
  };
}

/** How many pairs of a value of `a` and a value of `b` have the greater value in `b`. */
function countGreater(a: readonly number[], b: readonly number[]): number {
  const all = [...a.map((ms) => ({ ms, isB: false })), ...b.map((ms) => ({ ms, isB: true }))];
  let [seenA, greater] = [0, 0];
  for (const { isB } of all.toSorted((x, y) => x.ms - y.ms)) {
    if (isB) greater += seenA;
    else seenA += 1;
  }
  return greater;
}

const medianOf = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;
