import { type Bench, column } from "./database.ts";
import type { Server } from "./processes.ts";
import { percentile } from "./rounds.ts";

// Keywords of every kind. Each is requested once, so no cache has its answer.

type Kind = "one letter" | "two letters" | "heavy" | "light" | "none" | "Han" | "adversarial" | "deep page";
export type Keyword = { kind: Kind; text: string; page?: number };

/** A random integer from 0 to `limit` − 1. */
const randomBelow = (limit: number): number => Math.floor(Math.random() * limit);

/** Draws about `count` keywords of every kind from the stored names. */
export async function chooseKeywords(bench: Bench, count: number): Promise<Keyword[]> {
  const [epoch] = await column<number>(bench, "select max(epoch) from standing_epoch");
  const table = `standing_${epoch}_keywords`;
  const draw = (where: string, order = "random()", limit = count) =>
    column<string>(bench, `select keyword from ${table} where ${where} order by ${order} limit ${limit}`);
  const names = await column<string>(
    bench,
    `select folded_name from standing_${epoch}_names where length(folded_name) > 5 order by random() limit ${4 * count}`,
  );
  const heavyTrigrams = await draw("char_length(keyword) = 3", "people desc", 40);
  const ofKind = (kind: Kind, texts: readonly string[]): Keyword[] => texts.map((text) => ({ kind, text }));
  const deep = await draw("people > 1100 and char_length(keyword) > 1");
  return [
    ...ofKind("one letter", await draw("char_length(keyword) = 1", "people desc")),
    ...ofKind("two letters", await draw("char_length(keyword) = 2", "people desc")),
    ...ofKind("heavy", await draw("char_length(keyword) > 2")),
    ...ofKind("light", names.slice(0, 2 * count).map(randomSubstring)),
    ...ofKind("none", names.slice(0, count).map(swapEnds)),
    ...ofKind("Han", await draw("keyword ~ '^[一-龥]+$'")),
    ...ofKind("adversarial", joinTrigrams(heavyTrigrams, 2 * count)),
    ...ofKind("deep page", deep).map((keyword) => ({ ...keyword, page: 41 + randomBelow(359) })),
  ].sort(() => Math.random() - 0.5);
}

function randomSubstring(name: string): string {
  const points = [...name];
  const size = 3 + randomBelow(points.length - 3);
  const start = randomBelow(points.length - size + 1);
  return points.slice(start, start + size).join("");
}

/** The last three and the first three characters of a name, which together match no name. */
const swapEnds = (name: string): string => [...[...name].slice(-3), ...[...name].slice(0, 3)].join("");

/** Pairs of common trigrams that few names contain: the index narrows the search very little. */
function joinTrigrams(trigrams: readonly string[], count: number): string[] {
  const drawTrigram = () => trigrams[randomBelow(trigrams.length)] ?? "";
  return Array.from({ length: count }, () => `${drawTrigram()}${Math.random() < 0.5 ? "" : " "}${drawTrigram()}`);
}

export type KeywordTimes = { requests: number; p50: number; p99: number; max: number; slowest: string };
type Timing = { kind: Kind; text: string; ms: number };

/** Requests the keywords in sequence. Returns milliseconds, for all keywords and by kind. */
export async function timeKeywords(
  server: Server,
  keywords: readonly Keyword[],
): Promise<Record<string, KeywordTimes>> {
  const timings: Timing[] = [];
  for (const { kind, text, page = 1 } of keywords) {
    const started = performance.now();
    const response = await fetch(`${server.address}/api/v1/passports?keyword=${encodeURIComponent(text)}&page=${page}`);
    await response.text();
    if (response.status !== 200) throw new Error(`The keyword ${JSON.stringify(text)} returned ${response.status}.`);
    timings.push({ kind, text, ms: performance.now() - started });
  }
  const groups = [["all", timings] as const, ...Map.groupBy(timings, ({ kind }) => kind)];
  return Object.fromEntries(groups.map(([kind, group]) => [kind, summarise(group)]));
}

function summarise(timings: readonly Timing[]): KeywordTimes {
  const times = timings.map(({ ms }) => ms);
  const max = Math.max(0, ...times);
  const slowest = timings.find(({ ms }) => ms === max)?.text ?? "";
  return { requests: times.length, p50: percentile(times, 0.5), p99: percentile(times, 0.99), max, slowest };
}
