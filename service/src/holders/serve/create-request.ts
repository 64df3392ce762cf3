import { holderView } from "@credence/explorer/holder-requests/holder-page.ts";
import { problemText } from "@credence/explorer/holder-requests/problems.ts";
import { receiptPage } from "@credence/explorer/holder-requests/receipt-page.ts";
import { signPage } from "@credence/explorer/holder-requests/sign-page.ts";
import type { FastifyInstance } from "fastify";
import type { Content } from "#core/http/respond/content.ts";
import { parseMessage, statementOf } from "#holders/proof/message.ts";
import { canonicalSignature, hasSignatureForm } from "#holders/proof/signature-form.ts";
import { checkMessage, type RequestFault, receiptCode } from "#holders/proof/verify-request.ts";
import { holderContent, jsonContent, problemContent, signableOf } from "./holder-content.ts";
import type { KeyedDeps } from "./holder-deps.ts";
import { addPostRoute, type Posted } from "./post-route.ts";

const ACCEPTED = 202;

export function createRequest(app: FastifyInstance, deps: KeyedDeps): void {
  const { config, responder, holderSite, domain, keys, signatures, call } = deps;
  addPostRoute(app, "/holder/requests", responder, async (posted) => {
    const { fields, isJson, ip } = posted;
    // A form sends line breaks as CR and LF.
    const text = (fields.message ?? "").replaceAll("\r\n", "\n");
    const signature = canonicalSignature(fields.signature ?? "");
    // First, because a text that was not pasted completely is the most frequent mistake.
    const parsed = parseMessage(text);
    if (parsed !== null && !hasSignatureForm(signature, parsed.address.startsWith("0x")))
      return refuse(deps, posted, text, "signature_form");
    const checked = checkMessage(text, { domain, keys, now: new Date() });
    if ("fault" in checked) return refuse(deps, posted, text, checked.fault);
    const { message, key } = checked;
    const isSigned = await signatures.verify(text, signature, message.address);
    if (!isSigned) return refuse(deps, posted, text, "signature");
    const { action, passportId, address, nonce } = message;
    const code = receiptCode(key, text);
    const promise = { mode: config.holderRequests === "on" ? "on" : "review", graceMs: config.eraseGraceMs } as const;
    const request = { action, passportId, address, code, nonce, message: text, signature, ...promise };
    const { secret } = await call(ip, (requests) => requests.enqueue(request));
    if (isJson) return jsonContent(secret === null ? { code } : { code, secret }, ACCEPTED);
    const statement = statementOf(action, passportId);
    const isRepeated = action === "see" && secret === null;
    const view = { code, secret, isRepeated, statement, address, now: new Date() };
    return holderContent(receiptPage(holderSite(), view), ACCEPTED);
  });
}

/** Another signature may still fit the same text; else a new text is needed. */
function refuse(
  { holderSite, domain, keys }: KeyedDeps,
  { isJson, fields }: Posted,
  text: string,
  fault: RequestFault | "signature_form",
): Content {
  if (isJson) return problemContent(fault, 400);
  const signable = signableOf(text);
  const checked = checkMessage(text, { domain, keys, now: new Date() });
  if (signable !== null && !("fault" in checked) && (fault === "signature" || fault === "signature_form")) {
    const wrong = { signature: (fields.signature ?? "").trim(), problem: fault };
    return holderContent(signPage(holderSite(), signable, wrong), 400);
  }
  const problem = "fault" in checked ? checked.fault : fault;
  const entered = {
    passport: String(signable?.passportId ?? ""),
    wallet: signable?.address ?? "",
    action: signable?.action ?? null,
  };
  return holderContent(holderView(holderSite(), { entered, errors: [], problem: problemText(problem) }), 400);
}
