import type { Asker } from "./asker.ts";
import type { Sample } from "./sample.ts";

/** `spec`: the specification's own words demand it. `credence`: a choice where the specification leaves one. */
export type Level = "spec" | "credence";

export type Kit = { asker: Asker; sample: Sample; hasKey: boolean };

/** One thing that can be seen from outside. A check returns what it saw, or throws a `Mismatch` or a `NotSeen`. */
export type Clause = {
  id: string;
  level: Level;
  says: string;
  why: string;
  check: (kit: Kit) => Promise<string>;
};

/** The server does otherwise than the clause says. */
export class Mismatch extends Error {
  readonly seen: string;
  readonly expected: string;

  constructor(seen: string, expected: string) {
    super(`${seen}, expected ${expected}`);
    this.seen = seen;
    this.expected = expected;
  }
}

/** The server's data give no occasion to see it. */
export class NotSeen extends Error {}

/** Fails on the first item that is not as expected; `describe` tells what was seen of it. */
export function expectEach<Item>(
  items: readonly Item[],
  holds: (item: Item) => boolean,
  describe: (item: Item) => string,
  expected: string,
): void {
  const wrong = items.find((item) => !holds(item));
  if (wrong !== undefined) throw new Mismatch(describe(wrong), expected);
}

/** A text short enough for a table. */
export function brief(value: unknown): string {
  const text = (typeof value === "string" ? value : (JSON.stringify(value) ?? String(value))).replaceAll(/\s+/g, " ");
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}
