import type { Config } from "#core/config/config.ts";

/** What carrying out requests depends on. */
export type HolderSettings = {
  mode: Config["holderRequests"];
  /** The host of PUBLIC_URL, which holders sign. */
  domain: string;
  /** The secrets of the nonces. Without one no new request is verified. */
  keys: readonly string[];
  /** The key of OPT_OUT_KEY for the wallets of erased people. Without it nobody is erased. */
  optOutKey: string | null;
  /** All keys of OPT_OUT_KEY. */
  optOutKeys: readonly string[];
  graceMs: number;
};

export const holderSettings = (
  config: Pick<Config, "holderRequests" | "publicUrl" | "holderKeys" | "optOutKeys" | "eraseGraceMs">,
): HolderSettings => ({
  mode: config.holderRequests,
  domain: new URL(config.publicUrl).host,
  keys: config.holderKeys,
  optOutKey: config.optOutKeys[0] ?? null,
  optOutKeys: config.optOutKeys,
  graceMs: config.eraseGraceMs,
});
