import type { Registry } from "@prometheus-io/client";
import type { Connection } from "#core/database/database.ts";
import { onScrape, share } from "#core/http/metrics/on-scrape.ts";
import { findCurrentEpoch, findUnlistedSeconds } from "#list/epochs.ts";

export function observeList(registry: Registry, database: Connection): void {
  const { gauge } = onScrape(registry);
  const findEpoch = share(() => findCurrentEpoch(database));
  gauge("credence_standing_people", "People in the current standing.", async () => (await findEpoch()).total);
  gauge("credence_standing_age_seconds", "Age of the current standing.", async () => (await findEpoch()).age_seconds);
  gauge(
    "credence_standing_built_timestamp_seconds",
    "Unix time at which the current standing was built.",
    async () => (await findEpoch()).built_at.getTime() / 1000,
  );
  gauge(
    "credence_standing_unlisted_seconds",
    "How long ago the first change of people was made that is not in the list yet; 0 if there is none, however old the list is.",
    () => findUnlistedSeconds(database),
  );
}
