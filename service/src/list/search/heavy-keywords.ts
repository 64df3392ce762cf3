// The numbers of keyword search. A keyword is heavy when many people match it: its matches are
// stored in the keywords table of the epoch. All other keywords are searched in the names table.

/** Threshold: a keyword that more people match is heavy. */
export const HEAVY_THRESHOLD_PEOPLE = 5_000;

/** Reach: the last match that a page can show. The total is exact beyond it. */
export const REACH = 10_000;

/**
 * Tables: a heavy keyword's row has the ranks of its first matches, then every n-th rank as an
 * anchor.
 */
export const STORED_RANKS = 1_000;
export const ANCHOR_EVERY = 100;

/**
 * Names are searched by their first code points only. This bounds the size of an epoch for any
 * names.
 */
export const SEARCHED_CODE_POINTS = 100;

/**
 * Longer names are scanned one by one instead of indexed by grams. They are rare, as most networks
 * allow 50 characters, and share few grams: 3,000 random ones took 9 times as long to index as
 * ordinary names.
 */
const MAX_INDEXED_CODE_POINTS = 64;
/** SQL condition. */
export const IS_LONG_NAME = `char_length(folded_name) > ${MAX_INDEXED_CODE_POINTS}`;

/**
 * Measured: looking up one match by name costs as much as reading this many rows of the epoch in
 * order.
 */
const ROWS_PER_NAME = 6;

export type SearchPlan =
  /** Only the total is wanted. */
  | { by: "count"; total: number }
  /** The ranks are stored with the keyword. */
  | { by: "ranks"; total: number }
  /** Read the epoch in order, from the last known match before the page. */
  | { by: "anchor"; total: number; afterMatch: number }
  /** Read the names table by grams. */
  | { by: "names"; grams: readonly string[] };

export type SearchRequest = {
  folded: string;
  grams: readonly string[];
  skip: number;
  limit: number;
};

/**
 * Decides how a keyword is answered. `heavy` maps each text that is heavy, of the keyword and its
 * grams, to its number of people.
 */
export function planSearch(
  { folded, grams, skip, limit }: SearchRequest,
  heavy: ReadonlyMap<string, number>,
  epochPeople: number,
): SearchPlan {
  const total = heavy.get(folded);
  if (total === undefined) {
    // Grams that are not heavy have at most a few thousand names each.
    const rare = grams.filter((gram) => !heavy.has(gram));
    return { by: "names", grams: rare.length > 0 ? rare : grams };
  }
  if (limit === 0 || skip >= total) return { by: "count", total };
  if (skip + limit <= STORED_RANKS || total <= STORED_RANKS) return { by: "ranks", total };
  const rowsFromAnchor = ((ANCHOR_EVERY + limit) * epochPeople) / total;
  if (ROWS_PER_NAME * total < rowsFromAnchor) return { by: "names", grams };
  return { by: "anchor", total, afterMatch: skip < STORED_RANKS ? skip : skip - (skip % ANCHOR_EVERY) };
}
