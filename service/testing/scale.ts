// The size of long tests, relative to their full size. The default takes minutes, 1 takes an hour.
// biome-ignore lint/style/noProcessEnv: the only place that reads it.
const scale = Number(process.env.CREDENCE_TEST_SCALE || "0.03");
if (!(scale > 0 && scale <= 1)) throw new Error("CREDENCE_TEST_SCALE must be above 0 and at most 1.");

/** Scales the number of cases of a test or of people of a proof, to at least `min`. */
export const scaled = (full: number, min: number): number => Math.max(Math.min(full, min), Math.round(full * scale));
