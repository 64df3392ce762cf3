import type { Config } from "#core/config/config.ts";
import type { Database } from "#core/database/database.ts";
import { readPrivateKey } from "#core/files/signing-key.ts";
import type { Job } from "#core/process/job.ts";
import { LATEST_EVERY_MS } from "#mirror/times.ts";
import { type Published, publish } from "./publish.ts";

/** What a worker publishes, and until when. */
type PublishSettings = NonNullable<Config["publish"]> & { source: string; sunsetAt: Date | null };

export type PublishEvents = {
  publish?: PublishSettings | null;
  onPublished?: (published: Published) => void;
};

/** Keeps the published folder up to date. */
export const publishJob = (
  database: Database,
  { publish: settings = null, onPublished = () => {}, signal }: PublishEvents & { signal: AbortSignal },
): Job => ({
  name: "publish for mirrors",
  everyMs: LATEST_EVERY_MS,
  wakes: false,
  retryMs: 60_000,
  async run() {
    if (settings === null) return undefined;
    const { folder, keyPath, source, sunsetAt } = settings;
    try {
      const published = await publish(database, {
        ...{ folder, source, sunsetAt, signal },
        privateKey: await readPrivateKey(keyPath),
      });
      if (published !== null) onPublished(published);
      return published?.nextMs;
    } catch (error) {
      // A snapshot that the end of the worker has cut short.
      if (signal.aborted) return undefined;
      throw error;
    }
  },
});
