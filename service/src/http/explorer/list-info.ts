import type { Readers } from "#store/serving/readers.ts";
import { findListInfo, type ListInfo } from "#store/standing/epochs.ts";

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
