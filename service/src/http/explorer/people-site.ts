import type { DataAge } from "@credence/explorer/people/home-page.ts";
import type { Site } from "@credence/explorer/people/page-head.ts";
import type { Deps } from "#http/deps.ts";
import { frameOf } from "#http/pages/frame.ts";

export type ExplorerDeps = Deps & { readAge: () => Promise<DataAge> };

/** What pages about people show beside people, at this moment. */
export const peopleSite = (deps: Pick<Deps, "config" | "site" | "lifeCycle">): Site => ({
  ...frameOf(deps),
  isIndexed: deps.config.explorerIndex,
});
