import type { Config } from "#config.ts";

/** What carrying out requests depends on. */
export type HolderSettings = {
  mode: Config["holderRequests"];
  /** The host of PUBLIC_URL, which holders sign. */
  domain: string;
  /** The secret of the nonces. Without it no new request is verified. */
  key: string | null;
  /** The secret of tombstones. Without it nobody is erased. */
  optOutKey: string | null;
  graceMs: number;
};

export const holderSettings = (
  config: Pick<Config, "holderRequests" | "publicUrl" | "holderKey" | "optOutKey" | "eraseGraceMs">,
): HolderSettings => ({
  mode: config.holderRequests,
  domain: new URL(config.publicUrl).host,
  key: config.holderKey,
  optOutKey: config.optOutKey,
  graceMs: config.eraseGraceMs,
});
