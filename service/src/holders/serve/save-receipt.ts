import { receiptFile } from "@credence/explorer/holder-requests/receipt-page.ts";
import type { FastifyInstance } from "fastify";
import { fileToSave } from "./holder-content.ts";
import type { KeyedDeps } from "./holder-deps.ts";
import { addPostRoute } from "./post-route.ts";
import { unknownContent } from "./show-state.ts";

const CODE = /^[0-9a-f]{4}(?:-[0-9a-f]{4}){7}$/;
const SECRET = /^[\w-]{43}$/;

/** Sends the receipt back as a file to keep. Nothing is looked up or stored, only the form is checked. */
export function saveReceipt(app: FastifyInstance, deps: KeyedDeps): void {
  addPostRoute(app, "/holder/requests/receipt", deps.responder, (posted) => {
    const { code = "", secret = null } = posted.fields;
    if (!CODE.test(code)) return unknownContent(deps, posted, "code");
    if (secret !== null && !SECRET.test(secret)) return unknownContent(deps, posted, "secret");
    return fileToSave(
      "credence-receipt.txt",
      "text/plain; charset=utf-8",
      receiptFile(deps.holderSite(), { code, secret }),
    );
  });
}
