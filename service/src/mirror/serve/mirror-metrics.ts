import type { Registry } from "@prometheus-io/client";
import type { Connection } from "#core/database/database.ts";
import { onScrape, share } from "#core/http/metrics/on-scrape.ts";
import { findPublicationState } from "#mirror/publication-state.ts";
import { findMirrorState } from "./mirror-state.ts";

export function observeMirror(registry: Registry, database: Connection): void {
  const { gauge } = onScrape(registry);
  const find = share(() => findMirrorState(database));
  gauge(
    "credence_mirror_fresh_seconds",
    "How long this mirror may still show people; 0: it shows nobody; absent if it is no mirror.",
    async () => {
      const state = await find();
      return state && Math.max(0, state.fresh_seconds);
    },
  );
  gauge(
    "credence_mirror_age_seconds",
    "How long ago the publisher signed what this mirror shows; absent if it is no mirror.",
    async () => (await find())?.age_seconds ?? null,
  );
  gauge(
    "credence_mirror_held_people",
    "People who are missing at the publisher and wait for `credence mirror accept`; absent if it is no mirror.",
    async () => (await find())?.held_people ?? null,
  );
  gauge(
    "credence_publication_age_seconds",
    "How long ago this server signed its files for mirrors; absent if it has not for 30 days.",
    async () => (await findPublicationState(database))?.age_seconds ?? null,
  );
}
