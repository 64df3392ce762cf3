import {
  type CollectedFromServer,
  collectServer,
  type Pass,
  type Plan,
  type ServerOptions,
} from "#collect/collect-server.ts";
import { REJECT_NULLS } from "#collect/null-values.ts";
import { createFieldCounts } from "#snapshots/format/field-counts.ts";

export const OLD_KEY = "old-key-0123456789";

type Result = CollectedFromServer & { plans: Plan[]; passed: Pass[] };

/** Collects from a server in this process, at a high rate. */
export async function collectQuickly(
  address: string,
  out: string,
  options: Partial<ServerOptions> = {},
): Promise<Result> {
  const plans: Plan[] = [];
  const passed: Pass[] = [];
  const collected = await collectServer(address, out, {
    key: OLD_KEY,
    userAgent: "test",
    timeoutMs: 30_000,
    rate: 1_000,
    ids: null,
    since: null,
    collected: { basis: "test" },
    incomplete: false,
    unknownFields: "drop",
    nulls: REJECT_NULLS,
    fields: createFieldCounts(),
    findErased: async () => new Set(),
    onPlan: (plan) => plans.push(plan),
    onPass: (pass) => passed.push(pass),
    onPage: () => {},
    onFetched: () => {},
    onWritten: () => {},
    onWait: () => {},
    ...options,
  });
  return { ...(collected as CollectedFromServer), plans, passed };
}
