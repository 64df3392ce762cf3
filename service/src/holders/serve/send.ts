import { holderView } from "@credence/explorer/holder-requests/holder-page.ts";
import { PROBLEMS, problemText } from "@credence/explorer/holder-requests/problems.ts";
import { signPage } from "@credence/explorer/holder-requests/sign-page.ts";
import type { FastifyInstance } from "fastify";
import type { Content } from "#core/http/respond/content.ts";
import type { DemoWallet } from "#holders/proof/create-wallet.ts";
import { checkMessage, codeOf, type RequestFault } from "#holders/proof/issue-message.ts";
import { parseMessage } from "#holders/proof/message.ts";
import { canonicalSignature, hasSignatureForm } from "#holders/proof/signature-form.ts";
import { addPostRoute, type Posted } from "./fields.ts";
import { holderContent, jsonContent, problemContent, redirectContent, signableOf } from "./holder-content.ts";
import type { KeyedDeps } from "./holder-deps.ts";

/** Accepts signed texts. */
export function sendRequest(app: FastifyInstance, deps: KeyedDeps, demoWallet: DemoWallet | null): void {
  addPostRoute(app, "/holder/requests", deps.responder, (posted) => accept(deps, posted));
  if (demoWallet === null) return;
  // Only in `credence demo`: signs a text that this server has issued for the demo wallet, and sends it.
  addPostRoute(app, "/holder/demo-signature", deps.responder, async (posted) => {
    const text = textOf(posted);
    const checked = checkMessage(text, { ...deps, now: new Date() });
    if ("fault" in checked) return refuse(deps, posted, checked.fault);
    if (checked.message.address !== demoWallet.address) return refuse(deps, posted, "signature");
    return accept(deps, { ...posted, fields: { ...posted.fields, signature: demoWallet.sign(text) } });
  });
}

/** A form sends line breaks as CR and LF. */
const textOf = ({ fields }: Posted): string => (fields.message ?? "").replaceAll("\r\n", "\n");

/** Checks the proof, stores the request, and waits a moment for its result. */
async function accept(deps: KeyedDeps, posted: Posted): Promise<Content> {
  const { signatures, call, holderSite } = deps;
  const text = textOf(posted);
  const signature = canonicalSignature(posted.fields.signature ?? "");
  // First, because a text that was not pasted completely is the most frequent mistake.
  const parsed = parseMessage(text);
  if (parsed !== null && !hasSignatureForm(signature, parsed.address.startsWith("0x")))
    return refuse(deps, posted, "signature_form");
  const checked = checkMessage(text, { ...deps, now: new Date() });
  if ("fault" in checked) return refuse(deps, posted, checked.fault);
  const { message, key } = checked;
  if (!(await signatures.verify(text, signature, message.address))) return refuse(deps, posted, "signature");
  const code = codeOf(key, text);
  const { wish, address, nonce } = message;
  await call(posted.ip, (requests) => requests.enqueue({ wish, address, code, nonce, message: text, signature }));
  const request = await deps.requests.awaitState(code);
  const isCarriedOut = request?.state === "done" || request?.state === "waiting";
  if (posted.isJson) return jsonContent({ code, state: request?.state ?? "received" }, 202);
  return redirectContent(holderSite().links.to(`/holder/requests/${code}`), isCarriedOut);
}

/** Another signature may still fit the same text; else a new text is needed. */
function refuse({ holderSite, ...deps }: KeyedDeps, posted: Posted, fault: RequestFault | "signature_form"): Content {
  if (posted.isJson) return problemContent(fault, 400);
  const signable = signableOf(textOf(posted));
  const site = holderSite();
  if (signable === null) {
    return holderContent(holderView(site, { wallet: "", wish: null, errors: [], problem: problemText("form") }), 400);
  }
  const checked = checkMessage(signable.message, { ...deps, now: new Date() });
  const found = "fault" in checked ? checked.fault : fault;
  const typed = (posted.fields.signature ?? "").trim();
  if (found === "signature" || found === "signature_form")
    return holderContent(signPage(site, signable, { typed, problem: found }), 400);
  const { address: wallet, wish } = signable;
  const problem = {
    heading: found === "expired" ? "The 10 minutes are over" : "This text cannot be used",
    text: PROBLEMS[found],
  };
  const fresh = signableOf(deps.issue(wish, wallet)) ?? signable;
  return holderContent(signPage(site, fresh, null, problem), 400);
}
