import type { Config } from "#core/config/config.ts";
import type { Connection } from "#core/database/database.ts";
import { isDenied } from "#core/database/failures.ts";
import { type Finding, notChecked, ok, warning } from "#core/terminal/check.ts";
import { describeMissing, findMissingKeys } from "./require-opt-out-keys.ts";

/** Whether this process has the keys of all tombstones that were made here. */
export async function checkOptOutKeys(
  connection: Connection,
  { optOutKeys }: Pick<Config, "optOutKeys">,
): Promise<Finding> {
  try {
    const missing = await findMissingKeys(connection, optOutKeys);
    if (missing.length === 0) return ok("the keys of all tombstones are set, or none was made here");
    return warning(
      missing.map(describeMissing).join("; "),
      "Imports are refused. Set OPT_OUT_KEY for imports and workers; `credence opt-outs keys` lists the keys.",
    );
  } catch (error) {
    if (isDenied(error)) return notChecked("servers have nothing to do with these keys");
    throw error;
  }
}
