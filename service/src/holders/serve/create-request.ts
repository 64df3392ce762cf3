import { holderView } from "@credence/explorer/holder-requests/holder-page.ts";
import { PROBLEMS, problemText } from "@credence/explorer/holder-requests/problems.ts";
import { signPage, textPage } from "@credence/explorer/holder-requests/sign-page.ts";
import type { FastifyInstance } from "fastify";
import type { Content } from "#core/http/respond/content.ts";
import { parseMessage } from "#holders/proof/message.ts";
import { canonicalSignature, hasSignatureForm } from "#holders/proof/signature-form.ts";
import { checkMessage, type RequestFault, receiptCode } from "#holders/proof/verify-request.ts";
import { holderContent, jsonContent, problemContent, signableOf } from "./holder-content.ts";
import type { KeyedDeps } from "./holder-deps.ts";
import { addPostRoute, type Posted } from "./post-route.ts";
import { createSecret } from "./serve-requests.ts";
import { parseHolderQuery } from "./show-holder.ts";
import { carriedSecret, pageContent } from "./show-request.ts";

const ACCEPTED = 202;

export function createRequest(app: FastifyInstance, deps: KeyedDeps): void {
  addPostRoute(app, "/holder/requests", deps.responder, (posted) => acceptRequest(deps, posted));
}

/** A form sends line breaks as CR and LF. */
export const messageOf = ({ fields }: Posted): string => (fields.message ?? "").replaceAll("\r\n", "\n");

/** Checks the proof, and stores the request. */
export async function acceptRequest(deps: KeyedDeps, posted: Posted): Promise<Content> {
  const { config, domain, keys, signatures, call } = deps;
  const { fields, isJson, ip } = posted;
  const text = messageOf(posted);
  const signature = canonicalSignature(fields.signature ?? "");
  // First, because a text that was not pasted completely is the most frequent mistake.
  const parsed = parseMessage(text);
  if (parsed !== null && !hasSignatureForm(signature, parsed.address.startsWith("0x")))
    return refuseRequest(deps, posted, "signature_form");
  const checked = checkMessage(text, { domain, keys, now: new Date() });
  if ("fault" in checked) return refuseRequest(deps, posted, checked.fault);
  const { message, key } = checked;
  const isSigned = await signatures.verify(text, signature, message.address);
  if (!isSigned) return refuseRequest(deps, posted, "signature");
  const { action, passportId, address, nonce } = message;
  const code = receiptCode(key, text);
  const promise = { mode: config.holderRequests === "on" ? "on" : "review", graceMs: config.eraseGraceMs } as const;
  // The form has the secret before it is sent, so that sending it again does not lose it.
  const carried = !isJson && action === "see" ? carriedSecret(fields) : null;
  const request = { action, passportId, address, code, nonce, message: text, signature, ...promise, secret: carried };
  const { secret, isKnown } = await call(ip, (requests) => requests.enqueue(request));
  if (isJson) return jsonContent(secret === null ? { code } : { code, secret }, ACCEPTED);
  const receipt = { code, secret: secret ?? carried };
  // The form was sent again: its page is as it was, and the request may be further.
  const known = isKnown ? await call(ip, (requests) => requests.stateOf(code)) : null;
  return pageContent(deps, posted, receipt, known ?? { ...RECEIVED, action, receivedAt: new Date() }, ACCEPTED);
}

const RECEIVED = {
  state: "received",
  note: null,
  dueAt: null,
  completedAt: null,
  availableUntil: null,
  history: [],
} as const;

/** Another signature may still fit the same text; else a new text is needed. */
export function refuseRequest(
  { holderSite, domain, keys }: KeyedDeps,
  posted: Posted,
  fault: RequestFault | "signature_form",
): Content {
  if (posted.isJson) return problemContent(fault, 400);
  const text = messageOf(posted);
  const signable = signableOf(text);
  if (signable === null) {
    const view = { entered: parseHolderQuery({}), shown: null, errors: [], problem: problemText("form") };
    return holderContent(holderView(holderSite(), view), 400);
  }
  const checked = checkMessage(text, { domain, keys, now: new Date() });
  const found = "fault" in checked ? checked.fault : fault;
  if (found === "signature" || found === "signature_form") {
    const wrong = { signature: (posted.fields.signature ?? "").trim(), problem: found };
    const secret = signable.action === "see" ? (carriedSecret(posted.fields) ?? createSecret()) : null;
    return holderContent(signPage(holderSite(), signable, secret, wrong), 400);
  }
  const [heading, reason] =
    found === "expired"
      ? [
          "The 10 minutes are over",
          "Nothing was sent and nothing was changed. Take a new text and sign that one: passport, wallet and wish stay as they are.",
        ]
      : ["This text cannot be used", `${PROBLEMS[found]} Nothing was changed.`];
  return holderContent(textPage(holderSite(), signable, heading, reason), 400);
}
