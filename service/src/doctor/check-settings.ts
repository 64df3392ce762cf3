import type { Config } from "#core/config/config.ts";
import { describeDifferences, showSettings } from "#core/config/shown-settings.ts";
import { VERSION } from "#core/config/version.ts";
import type { Database } from "#core/database/database.ts";
import { answering, type NodeReport } from "#core/process/ask-nodes.ts";
import { type Finding, notChecked, ok, warning } from "#core/terminal/check.ts";
import { GRACE_TOO_LONG } from "#holders/waiting-requests.ts";

/** Whether nodes and this shell have the same settings, and holders can reach somebody. Nodes tell theirs. */
export async function checkSettings(
  _database: Database,
  config: Config,
  nodes: readonly NodeReport[],
): Promise<Finding> {
  if (config.holderRequests !== "off" && config.operator.contact === null) {
    return {
      state: "problem",
      finding: "HOLDER_REQUESTS is on, and OPERATOR_CONTACT is not set",
      advice: "Set OPERATOR_CONTACT: the pages of holders say whom to write to, for example about a hidden record.",
    };
  }
  const answers = answering(nodes).map(({ address, version, settings }) => ({
    name: address,
    settings: { version, ...settings },
  }));
  // Only servers have proxies: a shell on another machine need not know them.
  const { TRUSTED_PROXIES: _, ...own } = showSettings(config);
  const found = describeDifferences([...answers, { name: "this shell", settings: { version: VERSION, ...own } }]);
  if (found.length > 0) {
    return warning(
      found.join("; "),
      describeDifferences(answers).length > 0
        ? "Set the same for all servers and workers, and restart them."
        : "Run this command with the settings of the servers; `credence doctor --env-file FILE` reads them from a file.",
    );
  }
  if (config.isEraseGraceTooLong) return warning(`${GRACE_TOO_LONG}.`, "Erasures that wait already keep their date.");
  if (answers.length === 0) return notChecked("no server was found");
  return ok("servers and this shell have the same");
}
