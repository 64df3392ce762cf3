import type { FastifyInstance } from "fastify";
import type { DemoWallet } from "#holders/proof/create-wallet.ts";
import { checkMessage } from "#holders/proof/verify-request.ts";
import { acceptRequest, messageOf, refuseRequest } from "./create-request.ts";
import type { KeyedDeps } from "./holder-deps.ts";
import { addPostRoute } from "./post-route.ts";

/**
 * Only in `credence demo`: signs a text with the demo wallet, and sends it. Signs nothing but a text that
 * this server has issued for this wallet, and that has not expired.
 */
export function signForDemo(app: FastifyInstance, deps: KeyedDeps, wallet: DemoWallet): void {
  const { domain, keys, responder } = deps;
  addPostRoute(app, "/holder/demo-signature", responder, async (posted) => {
    const text = messageOf(posted);
    const checked = checkMessage(text, { domain, keys, now: new Date() });
    if ("fault" in checked) return refuseRequest(deps, posted, checked.fault);
    if (checked.message.address !== wallet.address) return refuseRequest(deps, posted, "signature");
    return acceptRequest(deps, { ...posted, fields: { ...posted.fields, signature: wallet.sign(text) } });
  });
}
