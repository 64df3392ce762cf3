import { V1Error } from "./errors.ts";
import { sleep } from "./time.ts";

/** What became of a reference: a passport, null if there is none, or an error. */
export type LookedUp<Reference, Found> = { reference: Reference } & (
  | { passport: Found | null; error: null }
  | { passport: null; error: Error }
);

const PARALLEL = 4;
/** How often a reference is tried again after the wait that a 429 asks for. */
const MAX_WAITS = 10;

/**
 * Looks up many references, a few at a time. Equal references are looked up once. After a 429, all
 * wait as long as the server asks. Results are in the order of the references; one failure does not
 * lose the others.
 */
export async function findMany<Reference extends string | number, Found>(
  references: Iterable<Reference>,
  find: (reference: Reference) => Promise<Found | null>,
  signal?: AbortSignal,
): Promise<LookedUp<Reference, Found>[]> {
  const all = [...references];
  const queue = [...new Map(all.map((reference) => [keyOf(reference), reference]))];
  const results = new Map<string, { passport: Found | null; error: null } | { passport: null; error: Error }>();
  let pausedUntil = 0;

  const lookUp = async (reference: Reference): Promise<Found | null> => {
    for (let waits = 0; ; waits += 1) {
      if (pausedUntil > Date.now()) await sleep(pausedUntil - Date.now(), signal);
      signal?.throwIfAborted();
      try {
        return await find(reference);
      } catch (error) {
        if (!(error instanceof V1Error && error.status === 429) || waits === MAX_WAITS) throw error;
        pausedUntil = Math.max(pausedUntil, Date.now() + (error.retryAfterMs ?? 1000));
      }
    }
  };
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [key, reference] = next;
      try {
        results.set(key, { passport: await lookUp(reference), error: null });
      } catch (error) {
        signal?.throwIfAborted();
        results.set(key, { passport: null, error: error as Error });
      }
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  return all.map((reference) => ({ reference, ...results.get(keyOf(reference)) })) as LookedUp<Reference, Found>[];
}

/** Spaces around a reference and the letter case of EVM addresses have no meaning. */
const keyOf = (reference: string | number): string => {
  const text = String(reference).trim();
  return /^0x/i.test(text) ? text.toLowerCase() : text;
};
