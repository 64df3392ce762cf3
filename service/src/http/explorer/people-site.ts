import type { Site } from "@credence/explorer/people/page-head.ts";
import type { Deps } from "#http/deps.ts";
import { frameOf } from "#http/pages/frame.ts";
import type { ListInfo } from "#store/standing/epochs.ts";

export type ExplorerDeps = Deps & { readListInfo: () => Promise<ListInfo> };

/** What pages about people show beside people, at this moment. */
export const peopleSite = (deps: Pick<Deps, "config" | "site" | "lifeCycle">): Site => ({
  ...frameOf(deps),
  isIndexed: deps.config.explorerIndex,
});
