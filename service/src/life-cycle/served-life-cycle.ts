import { ConfigError, readConfig } from "#core/config/config.ts";
import {
  describeDifferences,
  type SettingsSource,
  type ShownSettings,
  showSettings,
} from "#core/config/shown-settings.ts";
import { answering, type NodeReport } from "#core/process/ask-nodes.ts";
import { describeLifeCycle, type LifeCycleDocument } from "./describe.ts";

type Config = ReturnType<typeof readConfig>;

/** The settings on which the calendar depends, with PUBLIC_URL for its links. */
const CALENDAR = [
  ...["PUBLIC_URL", "V1_DEPRECATED_AT", "V1_SUNSET_AT", "V1_BROWNOUTS"],
  ...["V1_SUCCESSOR_URL", "V1_DOCS_URL", "V1_ALSO_AT"],
];

/** The life cycle that callers see. */
export type ServedLifeCycle = {
  document: LifeCycleDocument;
  /** The node that has this calendar; null: it is that of this shell. */
  node: string | null;
  /** Why callers may see another state; null: a node is ready, and has this calendar. */
  doubt: "no node was asked" | "no node answers" | "no node is ready" | "no node tells its own" | "nodes differ" | null;
  /** Settings of the calendar that differ between nodes, or between them and this shell. */
  differences: string[];
};

/** The calendar of the first node that tells it, else of this shell, at a time in milliseconds. */
export function findServedLifeCycle(config: Config, nodes: readonly NodeReport[], now: number): ServedLifeCycle {
  const here = { name: "this shell", settings: pickCalendar(showSettings(config)) };
  const told = answering(nodes).flatMap(({ address, settings }): SettingsSource[] =>
    settings === null ? [] : [{ name: address, settings: pickCalendar(settings) }],
  );
  const found = told.map(({ name, settings }) => ({ node: name, calendar: readCalendar(settings) }));
  const { node, calendar } = found.find((served) => served.calendar !== null) ?? { node: null, calendar: null };
  return {
    document: describeLifeCycle(calendar ?? config, now),
    node,
    doubt: findDoubt(nodes) ?? findDifference(told),
    differences: describeDifferences([...told, here]),
  };
}

function findDoubt(nodes: readonly NodeReport[]): ServedLifeCycle["doubt"] {
  if (nodes.length === 0) return "no node was asked";
  const found = answering(nodes);
  if (found.length === 0) return "no node answers";
  return found.some(({ ready }) => ready) ? null : "no node is ready";
}

const findDifference = (told: readonly SettingsSource[]): ServedLifeCycle["doubt"] =>
  told.length === 0 ? "no node tells its own" : describeDifferences(told).length > 0 ? "nodes differ" : null;

const pickCalendar = (settings: ShownSettings): ShownSettings =>
  Object.fromEntries(Object.entries(settings).filter(([name]) => CALENDAR.includes(name)));

/** Null: a later version has a form of these settings that this one cannot read. */
function readCalendar(settings: ShownSettings): Config | null {
  try {
    return readConfig(Object.fromEntries(Object.entries(settings).map(([name, text]) => [name, text ?? undefined])));
  } catch (error) {
    if (error instanceof ConfigError) return null;
    throw error;
  }
}
