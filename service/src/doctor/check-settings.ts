import type { Config } from "#core/config/config.ts";
import { describeDifferences, type SettingsSource, showSettings } from "#core/config/shown-settings.ts";
import { VERSION } from "#core/config/version.ts";
import type { Connection } from "#core/database/database.ts";
import { answering, type NodeReport } from "#core/process/ask-nodes.ts";
import { type Finding, notChecked, ok, warning } from "#core/terminal/check.ts";
import { listOptOutKeys } from "#holders/manage/worker-settings.ts";
import {
  describePromiseDifferences,
  GRACE_TOO_LONG,
  haveSameKeys,
  listSettingsInUse,
  type SettingsInUse,
  settingsRow,
  shownSettingsOf,
} from "#holders/settings-in-use.ts";
import { fingerprintOf } from "#privacy/opt-out.ts";

/**
 * Whether nodes, workers and this shell have the same settings. Nodes tell theirs; a row of
 * `holder_settings` has those on which promises to holders depend.
 */
export async function checkSettings(
  connection: Connection,
  config: Config,
  nodes: readonly NodeReport[],
): Promise<Finding> {
  const running = (await listSettingsInUse(connection)).filter(({ is_running }) => is_running);
  const processes = [...sourcesOf(nodes), ...rowsBeside(nodes, running)];
  // Only servers have proxies: a worker or a shell on another machine need not know them.
  const { TRUSTED_PROXIES: _, ...own } = showSettings(config);
  const here = { name: "this shell", settings: { version: VERSION, ...own } };
  const found = [
    ...describeDifferences([...processes, here]),
    ...(await findKeyDifferences(connection, config, running)),
  ];
  if (found.length > 0) return warning(found.join("; "), adviceFor(processes, running));
  if (config.isEraseGraceTooLong) return warning(`${GRACE_TOO_LONG}.`, "Erasures that wait already keep their date.");
  if (processes.length === 0) return notChecked("no server and no worker was found");
  return ok("servers, workers and this shell have the same");
}

const sourcesOf = (nodes: readonly NodeReport[]): SettingsSource[] =>
  answering(nodes).map(({ address, version, settings }) => ({ name: address, settings: { version, ...settings } }));

/** The rows of workers, and of servers that are not among the nodes that answer. */
function rowsBeside(nodes: readonly NodeReport[], running: readonly SettingsInUse[]): SettingsSource[] {
  const told = sourcesOf(nodes).map(({ settings }) => settings);
  const isTold = (row: SettingsInUse): boolean =>
    told.some((settings) => Object.entries(shownSettingsOf(row)).every(([name, text]) => settings[name] === text));
  return running
    .filter((row) => row.process === "worker" || !isTold(row))
    .map((row) => ({ name: row.process, settings: shownSettingsOf(row) }));
}

/** Of keys only that they differ. A shell without a key needs none. */
async function findKeyDifferences(
  connection: Connection,
  config: Config,
  running: readonly SettingsInUse[],
): Promise<string[]> {
  const own = config.holderKeys.length === 0 ? [] : [settingsRow("server", config)];
  const stored = await listOptOutKeys(connection);
  const ownOptOutKeys =
    config.optOutKeys.length === 0 || stored === null ? [] : [config.optOutKeys.map(fingerprintOf).join(" ")];
  return [
    ...(haveSameKeys(running) ? [] : ["HOLDER_KEY differs between servers and workers"]),
    ...(haveSameKeys(running) && !haveSameKeys([...running, ...own]) ? ["HOLDER_KEY differs in this shell"] : []),
    ...(new Set([...(stored ?? []), ...ownOptOutKeys]).size > 1
      ? [
          "OPT_OUT_KEY differs between workers, or between them and this shell: opt-outs with another key are found by passport number only",
        ]
      : []),
  ];
}

function adviceFor(processes: readonly SettingsSource[], running: readonly SettingsInUse[]): string {
  const promises =
    describePromiseDifferences(running).length === 0
      ? ""
      : " Until then the more careful setting counts, and signed requests may not be verified.";
  if (describeDifferences(processes).length > 0 || promises !== "") {
    return `Set the same for all servers and workers, and restart them. What ran in the last 90 seconds is compared.${promises}`;
  }
  return "Run this command with the settings of the servers and workers; `credence doctor --env-file FILE` reads them from a file.";
}
