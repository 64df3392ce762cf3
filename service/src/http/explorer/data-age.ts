import type { DataAge } from "@credence/explorer/people/home-page.ts";
import type { Readers } from "#store/serving/readers.ts";
import { findDataAge } from "#store/standing/epochs.ts";

const MAX_AGE_MS = 5_000;

/** Reads when the list was built and how old its scores are, at most once in five seconds. */
export function createDataAge(readers: Readers): () => Promise<DataAge> {
  let latest: Promise<DataAge> | null = null;
  let readAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (latest === null || performance.now() - readAt > MAX_AGE_MS) {
      readAt = performance.now();
      latest = findDataAge(readers.control);
      // The next request tries again.
      latest.catch(() => {
        latest = null;
      });
    }
    return latest;
  };
}
