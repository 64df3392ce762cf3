import type { DataAge } from "@credence/explorer/people/home-page.ts";
import type { Site } from "@credence/explorer/people/page-head.ts";
import type { Deps } from "#http/deps.ts";

export type ExplorerDeps = Deps & { readAge: () => Promise<DataAge> };

/** What pages about people show beside people, at this moment. */
export function peopleSite({ config, site, lifeCycle }: Pick<Deps, "config" | "site" | "lifeCycle">): Site {
  const { state, until } = lifeCycle();
  return {
    settings: config,
    links: site.links,
    isIndexed: config.explorerIndex,
    offUntil: state === "brownout" ? new Date(until) : null,
  };
}
