import type { Config } from "#core/config/config.ts";
import type { Database } from "#core/database/database.ts";
import { type Finding, ok, problem, warning } from "#core/terminal/check.ts";
import { formatDuration } from "#core/terminal/output.ts";
import { findPublicationState } from "#mirror/publication-state.ts";
import { LATEST_EVERY_MS } from "#mirror/times.ts";

/** A long snapshot is no failure. */
const LATE_MS = 6 * LATEST_EVERY_MS;

const ADVICE =
  "See that the worker with PUBLISH_FOLDER runs, and what its log says. If you publish no more: credence publish --end";

/** Whether mirrors of this server still get its signature. */
export async function checkPublication(
  database: Database,
  { publish, sunsetAt }: Pick<Config, "publish" | "sunsetAt">,
): Promise<Finding> {
  const state = await findPublicationState(database);
  if (state === null) {
    const hasEnded = sunsetAt !== null && sunsetAt <= new Date();
    if (publish === null || hasEnded) return ok("nothing is published for mirrors");
    return problem("PUBLISH_FOLDER is set, and nothing was published", "Start a worker; its log says what is missing.");
  }
  const ageMs = state.age_seconds * 1_000;
  const signed = `files for mirrors were signed ${formatDuration(Math.max(0, ageMs))} ago`;
  const leftMs = state.signed_until.getTime() - state.now.getTime();
  if (leftMs <= 0) return problem(`${signed}: mirrors show nobody`, ADVICE);
  if (ageMs > LATE_MS) return warning(`${signed}; in ${formatDuration(leftMs)}, mirrors will show nobody`, ADVICE);
  return ok(signed);
}
