// What a request costs, in points. One point is about 50 µs of CPU, that of a look-up that is in no cache.
// Each feature has its own. A test compares those of V1 with the results of the bench.

/** Anything else: the reference, unknown paths, a refused key. */
export const OTHER_POINTS = 1;
