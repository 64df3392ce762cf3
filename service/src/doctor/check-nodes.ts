import type { Config } from "#core/config/config.ts";
import { describeWide, findWideNetworks } from "#core/config/wide-networks.ts";
import { answering, type NodeReport } from "#core/process/ask-nodes.ts";
import { type Finding, notChecked, ok, problem, warning } from "#core/terminal/check.ts";
import { formatCount } from "#core/terminal/output.ts";

/** A node in a few words: `127.0.0.1:9090 is ready`. */
export function describeNode(node: NodeReport): string {
  if (!node.answers) return `${node.address} does not answer (${node.reason})`;
  return node.ready ? `${node.address} is ready` : `${node.address} is not ready (${node.reason})`;
}

/** Whether the nodes of NODES answer at their private ports. */
export function checkNodes(nodes: readonly NodeReport[]): Finding {
  if (nodes.length === 0) return notChecked("no node is asked (NODES)");
  const bad = nodes.filter((node) => !(node.answers && node.ready));
  if (bad.length === 0) return ok(nodes.map(describeNode).join(", "));
  if (bad.length < nodes.length) {
    return warning(
      `${bad.length} of ${formatCount(nodes.length, "node")}: ${bad.map(describeNode).join(", ")}`,
      "Start it, or see its log. If it is gone for good, remove it from NODES.",
    );
  }
  const listed = bad.map(({ address, reason }) => `${address} (${reason})`).join(", ");
  if (bad.some((node) => node.answers)) {
    return problem(`no node is ready: ${listed}`, "See the log of the node, and the other findings here.");
  }
  return problem(
    `no node answers: ${listed}`,
    "Start `credence serve`. If it runs elsewhere, set NODES to the private addresses of all nodes; `none` asks no node.",
  );
}

/** Whether the nodes trust their proxy, and nobody else. */
export function checkTrustedProxies(nodes: readonly NodeReport[], { trustedProxies }: Pick<Config, "trustedProxies">) {
  const told = answering(nodes).flatMap(({ settings }) =>
    settings === null ? [] : [settings.TRUSTED_PROXIES?.split(",") ?? []],
  );
  const wide = findWideNetworks([...new Set(told.length > 0 ? told.flat() : trustedProxies)]);
  if (wide.length > 0) {
    return warning(describeWide(wide), "Name the addresses of your proxies only, such as TRUSTED_PROXIES=127.0.0.1.");
  }
  const missing = answering(nodes).find((node) => node.untrusted_proxy !== null);
  if (missing !== undefined) {
    return warning(
      `${missing.address} gets requests that ${missing.untrusted_proxy} forwards, which is not in TRUSTED_PROXIES: all clients behind it share one rate limit`,
      `If it is your proxy, set TRUSTED_PROXIES=${missing.untrusted_proxy} for every node, or the network of its containers, and restart the nodes.`,
    );
  }
  return ok(told.length === 0 ? "no network is too wide" : "no node gets requests of a proxy that it does not trust");
}
