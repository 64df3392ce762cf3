import { type Bench, column } from "./database.ts";
import type { Server } from "./processes.ts";
import { percentile } from "./statistics.ts";

// Keywords of every kind, each asked once: what is not cached anywhere.

type Kind = "one letter" | "two letters" | "heavy" | "light" | "none" | "Han" | "adversarial" | "deep page";
export type Keyword = { kind: Kind; text: string; page?: number };

/** Draws `each` keywords of every kind from the names that are there, and makes up those that match nobody. */
export async function chooseKeywords(bench: Bench, each: number): Promise<Keyword[]> {
  const [epoch] = await column<number>(bench, "select max(epoch) from standing_epoch");
  const table = `standing_${epoch}_keywords`;
  const drawn = (where: string, order = "random()") =>
    column<string>(bench, `select keyword from ${table} where ${where} order by ${order} limit ${each}`);
  const names = await column<string>(
    bench,
    `select folded_name from standing_${epoch}_names where length(folded_name) > 5 order by random() limit ${4 * each}`,
  );
  const heavy = await drawn("char_length(keyword) > 2");
  const heavyThrees = await column<string>(
    bench,
    `select keyword from ${table} where char_length(keyword) = 3 order by people desc limit 40`,
  );
  const piece = (name: string) => {
    const points = [...name];
    const size = 3 + Math.floor(Math.random() * (points.length - 3));
    const at = Math.floor(Math.random() * (points.length - size + 1));
    return points.slice(at, at + size).join("");
  };
  const of = (kind: Kind, texts: readonly string[]): Keyword[] => texts.map((text) => ({ kind, text }));
  return [
    ...of("one letter", await drawn("char_length(keyword) = 1", "people desc")),
    ...of("two letters", await drawn("char_length(keyword) = 2", "people desc")),
    ...of("heavy", heavy),
    ...of("light", names.slice(0, 2 * each).map(piece)),
    ...of(
      "none",
      names.slice(0, each).map((name) => `${[...name].slice(-3).join("")}${[...name].slice(0, 3).join("")}`),
    ),
    ...of("Han", await drawn("keyword ~ '^[一-龥]+$'")),
    ...of("adversarial", joinCommon(heavyThrees, 2 * each)),
    ...(await drawn("people > 1100 and char_length(keyword) > 1")).map((text) => ({
      kind: "deep page" as const,
      text,
      page: 41 + Math.floor(Math.random() * 359),
    })),
  ].sort(() => Math.random() - 0.5);
}

/** Two runs that very many have, put together as hardly anybody has them: the index narrows little down. */
function joinCommon(threes: readonly string[], count: number): string[] {
  const any = () => threes[Math.floor(Math.random() * threes.length)] ?? "";
  return Array.from({ length: count }, () => `${any()}${Math.random() < 0.5 ? "" : " "}${any()}`);
}

export type KeywordTimes = { asked: number; p50: number; p99: number; max: number; slowest: string };

/** One after the other; in milliseconds. */
export async function timeKeywords(
  server: Server,
  keywords: readonly Keyword[],
): Promise<Record<string, KeywordTimes>> {
  const times: { kind: Kind; text: string; ms: number }[] = [];
  for (const { kind, text, page = 1 } of keywords) {
    const started = performance.now();
    const answer = await fetch(`${server.address}/api/v1/passports?keyword=${encodeURIComponent(text)}&page=${page}`);
    await answer.text();
    if (answer.status !== 200)
      throw new Error(`The keyword ${JSON.stringify(text)} was answered with ${answer.status}.`);
    times.push({ kind, text, ms: performance.now() - started });
  }
  const kinds = Map.groupBy(times, ({ kind }) => kind);
  return Object.fromEntries([["all", times] as const, ...kinds].map(([kind, some]) => [kind, summarise(some)]));
}

function summarise(times: readonly { text: string; ms: number }[]): KeywordTimes {
  const sorted = times.toSorted((one, other) => one.ms - other.ms);
  const ms = sorted.map((one) => one.ms);
  return {
    asked: times.length,
    p50: percentile(ms, 0.5),
    p99: percentile(ms, 0.99),
    max: ms.at(-1) ?? 0,
    slowest: sorted.at(-1)?.text ?? "",
  };
}
