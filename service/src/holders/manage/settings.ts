import type { Config } from "#core/config/config.ts";

/** What carrying out requests depends on. */
export type HolderSettings = {
  mode: Config["holderRequests"];
  publicUrl: string;
  /** The host of PUBLIC_URL, which holders sign. */
  domain: string;
  /** The secrets of the nonces. Without one no new request is verified. */
  keys: readonly string[];
  /** The secret of tombstones. Without it nobody is erased. */
  optOutKey: string | null;
  graceMs: number;
};

export const holderSettings = (
  config: Pick<Config, "holderRequests" | "publicUrl" | "holderKeys" | "optOutKey" | "eraseGraceMs">,
): HolderSettings => ({
  mode: config.holderRequests,
  publicUrl: config.publicUrl,
  domain: new URL(config.publicUrl).host,
  keys: config.holderKeys,
  optOutKey: config.optOutKey,
  graceMs: config.eraseGraceMs,
});
