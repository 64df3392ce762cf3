import type { HolderSite } from "@credence/explorer/holder-requests/holder-site.ts";
import { isLoopback } from "#core/config/config-values.ts";
import { clientNetwork } from "#core/http/connections/client-network.ts";
import type { Readers } from "#core/readers/choose-reader.ts";
import { frameOf, type SiteDeps } from "#explorer/site/site.ts";
import type { DemoWallet } from "#holders/proof/create-wallet.ts";
import { issueMessage } from "#holders/proof/issue-message.ts";
import type { Wish } from "#holders/proof/message.ts";
import { type HolderRequests, openHolderRequests } from "./requests.ts";
import type { SignatureChecks } from "./signature-checks.ts";

/** What requests of holders need of a process that serves. */
export type HolderDeps = SiteDeps & {
  readers: Readers;
  signatures: SignatureChecks;
  /** Null in every process but `credence demo`. */
  demoWallet: DemoWallet | null;
};

/** With HOLDER_KEY. */
export type KeyedDeps = HolderDeps & {
  /** What pages show beside the request, at this moment. */
  holderSite: () => HolderSite;
  /** The host that a text to sign names. */
  domain: string;
  /** The secrets of the nonces. */
  keys: readonly string[];
  /** Issues a text to sign, with what this server promises. */
  issue: (wish: Wish, address: string) => string;
  /** Without a queue: for `awaitState`, which all share. */
  requests: HolderRequests;
  /**
   * Runs a call to the primary, as pages of the list do: the number of waiting ones is bounded, and
   * no client takes all places.
   */
  call: <Result>(ip: string, run: (requests: HolderRequests) => Promise<Result>) => Promise<Result>;
};

export function holderDeps(deps: HolderDeps): KeyedDeps {
  const { config, readers } = deps;
  const { fairQueues, pools } = readers.primary;
  const requests = openHolderRequests(pools.pages);
  const { host: domain } = new URL(config.publicUrl);
  return {
    ...deps,
    requests,
    holderSite: () => holderSite(deps),
    domain,
    keys: config.holderKeys,
    issue(wish, address) {
      const graceSeconds = wish === "erase" ? Math.ceil(config.eraseGraceMs / 1_000) : 0;
      const promised = { wish, isReviewed: config.holderRequests !== "on", graceSeconds };
      const subject = { domain, address, ...promised, uri: `${config.publicUrl}/holder` };
      return issueMessage(config.holderKeys[0] as string, subject, new Date());
    },
    call: (ip, run) => fairQueues.pages.run(clientNetwork(ip), () => run(requests)),
  };
}

export const holderSite = (deps: HolderDeps): HolderSite => ({
  ...frameOf(deps),
  mode: deps.config.holderRequests,
  graceMs: deps.config.eraseGraceMs,
  demoHolder: findDemoWallet(deps),
});

/** The wallet that this server signs with. Nobody but this machine may use it. */
export const findDemoWallet = ({ config, demoWallet }: Pick<HolderDeps, "config" | "demoWallet">): DemoWallet | null =>
  config.isDemo && isLoopback(config.host) ? demoWallet : null;
