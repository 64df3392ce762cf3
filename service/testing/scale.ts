// Share of the full size at which long tests run: CI sets it low, `npm test` by hand runs everything.
// biome-ignore lint/style/noProcessEnv: the one place that reads it.
const scale = Number(process.env.CREDENCE_TEST_SCALE || "1");
if (!(scale > 0 && scale <= 1)) throw new Error("CREDENCE_TEST_SCALE is a number above 0, at most 1.");

/** How many cases a property test runs, or how many people a proof takes: never fewer than `least`, which still proves something. */
export const scaled = (full: number, least: number): number =>
  Math.max(Math.min(full, least), Math.round(full * scale));
