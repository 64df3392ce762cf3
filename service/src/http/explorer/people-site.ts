import type { Site } from "@credence/explorer/people/page-head.ts";
import type { Deps } from "#http/deps.ts";
import { frameOf } from "#http/pages/frame.ts";
import type { Content } from "#http/respond/content.ts";
import type { ListInfo } from "#store/standing/epochs.ts";

/** Not cached: a wallet may lead to another passport tomorrow. */
export const redirectTo = (location: string): Content => ({
  ...{ status: 302, body: "", type: "text/plain; charset=utf-8", caching: "no-store", isV1: false },
  headers: ["location", location],
});

export type ExplorerDeps = Deps & { readListInfo: () => Promise<ListInfo> };

/** What pages about people show beside people, at this moment. */
export const peopleSite = (deps: Pick<Deps, "config" | "site" | "lifeCycle">): Site => ({
  ...frameOf(deps),
  isIndexed: deps.config.explorerIndex,
});
