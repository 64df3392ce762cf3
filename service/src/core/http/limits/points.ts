/**
 * What a request costs, in points. One point is about 50 µs of CPU, that of a look-up that is in no
 * cache. A test compares these numbers with the results of the bench.
 */
export const LOOK_UP_POINTS = 1;
/**
 * A search costs more than this. But the original service allowed 25 requests of any kind in 10
 * seconds, so no request may cost more than a 25th of the default limit.
 */
export const SEARCH_POINTS = 10;
/** Anything else: the reference, unknown paths, a refused key. */
export const OTHER_POINTS = 1;

/** A page of 1 costs 2 points, a page of 25 costs 4, a page of 100 costs 10. */
export const pagePoints = (perPage: number): number => Math.round(2 + perPage * 0.08);
