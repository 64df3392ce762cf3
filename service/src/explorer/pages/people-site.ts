import type { Site } from "@credence/explorer/people/page-head.ts";
import type { Content } from "#core/http/respond/content.ts";
import type { Readers } from "#core/readers/choose-reader.ts";
import { frameOf, type SiteDeps } from "#explorer/site/site.ts";
import { findListInfo, type ListInfo } from "#list/epochs.ts";
import type { Answers } from "#v1/answers/answers.ts";

/** Not cached: a wallet may lead to another passport tomorrow. */
export const redirectTo = (location: string): Content => ({
  status: 302,
  body: "",
  type: "text/plain; charset=utf-8",
  caching: "no-store",
  isV1: false,
  headers: ["location", location],
});

/** What the explorer needs of a process that serves. */
export type ExplorerDeps = SiteDeps & { answers: Answers; readers: Readers };

/** What pages about people need. */
export type PeopleDeps = ExplorerDeps & { readListInfo: () => Promise<ListInfo> };

/** What pages about people show beside people, at this moment. */
export const peopleSite = (deps: Omit<SiteDeps, "responder">): Site => ({
  ...frameOf(deps),
  isIndexed: deps.config.explorerIndex,
});

const MAX_AGE_MS = 5_000;

/** Reads what pages say about the list as a whole, at most once in five seconds. */
export function createListInfo(readers: Readers): () => Promise<ListInfo> {
  let latest: Promise<ListInfo> | null = null;
  let readAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (latest === null || performance.now() - readAt > MAX_AGE_MS) {
      readAt = performance.now();
      latest = findListInfo(readers.control);
      // The next request tries again.
      latest.catch(() => {
        latest = null;
      });
    }
    return latest;
  };
}
