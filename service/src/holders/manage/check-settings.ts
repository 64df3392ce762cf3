import type { Config } from "#core/config/config.ts";
import type { Connection } from "#core/database/database.ts";
import { type Finding, ok, warning } from "#core/terminal/check.ts";
import { describeDifferences, GRACE_TOO_LONG, listSettingsInUse } from "#holders/settings-in-use.ts";
import { fingerprintOf } from "#privacy/opt-out.ts";
import { listOptOutKeys } from "./worker-settings.ts";

type CheckedConfig = Pick<Config, "optOutKeys" | "isEraseGraceTooLong">;

/** Whether servers and workers promise the same to holders. */
export async function checkSettings(connection: Connection, config: CheckedConfig): Promise<Finding> {
  const running = (await listSettingsInUse(connection)).filter(({ is_running }) => is_running);
  const differences = describeDifferences(running);
  if (differences.length > 0) {
    return warning(
      `servers and workers differ, in the last 90 seconds: ${differences.join("; ")}`,
      "Set the same for all of them, and restart them. Until then the more careful setting counts, and signed requests may not be verified.",
    );
  }
  const stored = await listOptOutKeys(connection);
  const here =
    config.optOutKeys.length === 0 || stored === null ? [] : [config.optOutKeys.map(fingerprintOf).join(" ")];
  if (new Set([...(stored ?? []), ...here]).size > 1) {
    return warning(
      "OPT_OUT_KEY differs between workers, or between them and this command",
      "Set the same for all of them: opt-outs with another key are found by passport number only.",
    );
  }
  if (config.isEraseGraceTooLong) return warning(`${GRACE_TOO_LONG}.`, "Erasures that wait already keep their date.");
  return ok("servers and workers agree on what is promised to holders");
}
