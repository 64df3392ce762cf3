import { type Frame, frameAt } from "@credence/explorer/frame.ts";
import type { Config } from "#config.ts";
import type { LifeCycle } from "#life-cycle/life-cycle.ts";
import type { HttpSite } from "./site.ts";

type FrameDeps = { config: Config; site: HttpSite; lifeCycle: () => LifeCycle };

/** What pages have around their content, at this moment. */
export function frameOf({ config, site, lifeCycle }: FrameDeps): Frame {
  const { state, from, until } = lifeCycle();
  return frameAt(config, site.links, { state, from: dateOrNull(from), until: dateOrNull(until) });
}

export const dateOrNull = (ms: number): Date | null => (Number.isFinite(ms) ? new Date(ms) : null);
