import type { Client, HttpResponse } from "./client.ts";
import type { Sample } from "./sample.ts";

/** `spec`: required by the specification. `credence`: decided where the specification is silent. */
export type Level = "spec" | "credence";

/** What the caller knows about the server. */
export type Knowledge = { hasKey: boolean };
/** `acceptsUnknownKeys`: as Credence does with AUTH_MODE=open, while clients have keys of an old server. */
export type Context = Knowledge & { client: Client; sample: Sample; acceptsUnknownKeys: boolean };

/** A rule. Its check returns what it observed, or throws `Mismatch` or `Skipped`. */
export type Clause = {
  id: string;
  level: Level;
  rule: string;
  why: string;
  /** Part of the check needs a server that refuses unknown keys. */
  needsUnknownKey?: true;
  check: (context: Context) => Promise<string>;
};

/** The server breaks the rule. */
export class Mismatch extends Error {
  readonly observed: string;
  readonly expected: string;

  constructor(observed: string, expected: string) {
    super(`${observed}, expected ${expected}`);
    this.observed = observed;
    this.expected = expected;
  }
}

/** The server's data has no example on which the rule could be checked. */
export class Skipped extends Error {}

/** Throws for the first invalid item. */
export function expectEach<Item>(
  items: readonly Item[],
  isValid: (item: Item) => boolean,
  describe: (item: Item) => string,
  expected: string,
): void {
  const invalid = items.find((item) => !isValid(item));
  if (invalid !== undefined) throw new Mismatch(describe(invalid), expected);
}

/** Throws unless the response has the status. */
export function expectStatus({ status, body }: HttpResponse, expected: number, request: string): void {
  if (status !== expected) throw new Mismatch(`${request}: ${status} ${brief(body)}`.trimEnd(), String(expected));
}

/** Shortens a value to one line of a report. */
export function brief(value: unknown): string {
  const text = (typeof value === "string" ? value : (JSON.stringify(value) ?? String(value))).replaceAll(/\s+/g, " ");
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}
