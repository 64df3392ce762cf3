import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { Config } from "#core/config/config.ts";
import { readShownSettings, type ShownSettings } from "#core/config/shown-settings.ts";

type Silent = { address: string; answers: false; reason: string };

/** What a node says about itself. */
export type AnsweringNode = {
  address: string;
  answers: true;
  version: string;
  ready: boolean;
  /** Why it is not ready; null if it is. */
  reason: string | null;
  /** Null: a version that does not tell them. */
  settings: ShownSettings | null;
  /** Of each secret, whether it is set. */
  secrets: Readonly<Record<string, boolean>>;
  /** A private address that forwards requests and is not in TRUSTED_PROXIES. */
  untrusted_proxy: string | null;
};

export type NodeReport = Silent | AnsweringNode;

const TIMEOUT_MS = 2_000;

/** Asks all nodes of NODES at the same time, at their private ports. */
export async function askNodes({ nodes }: Pick<Config, "nodes">): Promise<NodeReport[]> {
  const asked = await Promise.all(nodes.map(findAndAsk));
  return asked.flat();
}

export const answering = (nodes: readonly NodeReport[]): AnsweringNode[] =>
  nodes.filter((node): node is AnsweringNode => node.answers);

/** A name can have an address for each of many nodes, such as that of a headless service of Kubernetes. */
async function findAndAsk(node: string): Promise<NodeReport[]> {
  const [, host = "", port = ""] = /^(.*):(\d+)$/.exec(node) ?? [];
  if (host === "localhost" || host.startsWith("[") || isIP(host) !== 0) return [await ask(node)];
  try {
    const found = await Promise.race([lookup(host, { all: true }), timeOut()]);
    const [first] = found;
    // A node with two families has an address of each.
    const addresses = found.filter(({ family }) => family === first?.family);
    return await Promise.all(
      addresses.map(({ address, family }) => ask(`${family === 6 ? `[${address}]` : address}:${port}`)),
    );
  } catch (error) {
    return [{ address: node, answers: false, reason: describe(error) }];
  }
}

const timeOut = (): Promise<never> =>
  new Promise((_, reject) => {
    AbortSignal.timeout(TIMEOUT_MS).addEventListener("abort", ({ target }) => reject((target as AbortSignal).reason));
  });

async function ask(address: string): Promise<NodeReport> {
  // Readiness waits for the database of the node. Its settings do not.
  const [health, told] = await Promise.allSettled([get(address, "/health"), get(address, "/settings")]);
  const { settings, secrets, untrusted_proxy: untrusted, version } = told.status === "fulfilled" ? told.value : {};
  const { ready, phase, standing } = health.status === "fulfilled" ? health.value : {};
  const known = version ?? (health.status === "fulfilled" ? health.value.version : undefined);
  if (typeof known !== "string" || (settings === undefined && typeof ready !== "boolean")) {
    const failure = [health, told].find(({ status }) => status === "rejected");
    const reason = failure?.status === "rejected" ? describe(failure.reason) : "another program responds";
    return { address, answers: false, reason };
  }
  return {
    address,
    answers: true,
    version: known,
    ready: ready === true,
    reason: ready === true ? null : whyNotReady(health, phase, standing),
    settings: settings === undefined ? null : readShownSettings(settings),
    secrets: Object.fromEntries(Object.entries(Object(secrets)).map(([name, isSet]) => [name, isSet === true])),
    untrusted_proxy: typeof untrusted === "string" && isIP(untrusted) !== 0 ? untrusted : null,
  };
}

async function get(address: string, path: string): Promise<Record<string, unknown>> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(`http://${address}${path}`, { redirect: "error", signal });
  return Object(await response.json());
}

function whyNotReady(health: PromiseSettledResult<unknown>, phase: unknown, standing: unknown): string {
  if (health.status === "rejected") return `/health: ${describe(health.reason)}`;
  if (typeof phase === "string" && phase !== "serving") return `it is ${phase}`;
  const { error } = Object(standing);
  return typeof error === "string" ? error : "its schema is old, or it has not read the API keys yet";
}

function describe(error: unknown): string {
  const { name, message, cause } = error as Error;
  const { code = "" } = Object(cause ?? error) as { code?: string };
  if (name === "TimeoutError") return `no response in ${TIMEOUT_MS / 1_000} s`;
  if (name === "SyntaxError") return "another program responds";
  if (code === "ECONNREFUSED") return "nothing listens there";
  if (code === "ECONNRESET" || code === "UND_ERR_SOCKET") return "it closes the connection, as another program would";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "the name has no address";
  return code === "" ? message : code;
}
