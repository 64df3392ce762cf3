import { isCode, isSecret, receiptText } from "@credence/explorer/holder-requests/receipt.ts";
import { wishOf } from "@credence/explorer/holder-requests/request-words.ts";
import type { FastifyInstance } from "fastify";
import { findSigned } from "./find-signed.ts";
import { fileToSave } from "./holder-content.ts";
import type { KeyedDeps } from "./holder-deps.ts";
import { addPostRoute } from "./post-route.ts";
import { unknownContent } from "./show-request.ts";

/** Sends the receipt back as a file to keep. Nothing is looked up or stored, only the form is checked. */
export function saveReceipt(app: FastifyInstance, deps: KeyedDeps): void {
  addPostRoute(app, "/holder/requests/receipt", deps.responder, (posted) => {
    const { code = "", message } = posted.fields;
    const secret = posted.fields.secret || null;
    if (!isCode(code)) return unknownContent(deps, posted);
    if (secret !== null && !isSecret(secret)) return unknownContent(deps, posted, "secret");
    const signed = findSigned(deps.keys, code, message);
    const about = signed && { wish: wishOf(signed.action, signed.passportId), at: signed.at };
    const text = receiptText(deps.holderSite(), { code, secret }, about);
    return fileToSave("credence-receipt.txt", "text/plain; charset=utf-8", text);
  });
}
