import { findReceipt, isSecret, type Receipt } from "@credence/explorer/holder-requests/receipt.ts";
import { requestPage } from "@credence/explorer/holder-requests/request-page.ts";
import { hasData, type RequestView } from "@credence/explorer/holder-requests/request-view.ts";
import { type ReturnProblem, returnPage } from "@credence/explorer/holder-requests/return-page.ts";
import type { StoredRecord } from "@credence/explorer/holder-requests/stored-record.ts";
import type { FastifyInstance } from "fastify";
import { type Content, JSON_TYPE } from "#core/http/respond/content.ts";
import { addRoute } from "#core/http/respond/respond.ts";
import { NOTES } from "#holders/request-notes.ts";
import { findSigned } from "./find-signed.ts";
import { fileToSave, holderContent, jsonContent, problemContent } from "./holder-content.ts";
import type { KeyedDeps } from "./holder-deps.ts";
import { addPostRoute, type Posted } from "./post-route.ts";
import type { Fields } from "./read-fields.ts";
import type { ShownRequest } from "./serve-requests.ts";

/** The state of a request. Its code is sent in a body: URLs are logged and remembered. */
export function showState(app: FastifyInstance, deps: KeyedDeps): void {
  const { responder, holderSite, call } = deps;
  addRoute(app, "/holder/requests", responder, () => holderContent(returnPage(holderSite())));
  addPostRoute(app, "/holder/requests/state", responder, async (posted) => {
    const receipt = receiptOf(posted.fields);
    return requestContent(deps, posted, await call(posted.ip, (requests) => requests.stateOf(receipt.code)));
  });
}

/** Withdraws an open request, and shows its state. */
export function withdrawRequest(app: FastifyInstance, deps: KeyedDeps): void {
  const { responder, call } = deps;
  addPostRoute(app, "/holder/requests/withdraw", responder, async (posted) => {
    const receipt = receiptOf(posted.fields);
    return requestContent(deps, posted, await call(posted.ip, (requests) => requests.withdraw(receipt.code)));
  });
}

/** The prepared data, for the code and the secret of the receipt. A program gets it as it is stored. */
export function showData(app: FastifyInstance, deps: KeyedDeps): void {
  const { responder, call } = deps;
  addPostRoute(app, "/holder/requests/data", responder, async (posted) => {
    const { code, secret } = receiptOf(posted.fields);
    if (posted.isJson || posted.fields.as === "file") {
      const text = await call(posted.ip, (requests) => requests.fetch(code, secret ?? ""));
      if (text !== null) return fileToSave("record.json", JSON_TYPE, text);
      if (posted.isJson) return problemContent("secret", 404);
    }
    return requestContent(deps, posted, await call(posted.ip, (requests) => requests.stateOf(code)));
  });
}

/** Of the fields of a page, of the whole text of a receipt, or of a program. An unknown code is an empty one. */
function receiptOf({ receipt, code, secret }: Fields): Receipt {
  const found = findReceipt(receipt ?? code ?? "");
  return { code: found?.code ?? "", secret: secret || found?.secret || null };
}

async function requestContent(deps: KeyedDeps, posted: Posted, request: ShownRequest | null): Promise<Content> {
  if (request === null) return unknownContent(deps, posted);
  return posted.isJson ? jsonContent(request) : pageContent(deps, posted, receiptOf(posted.fields), request);
}

/** The page of a request, with the prepared data if code and secret fit. */
export async function pageContent(
  deps: KeyedDeps,
  { fields, ip }: Posted,
  receipt: Receipt,
  request: ShownRequest,
  status = 200,
): Promise<Content> {
  const view: RequestView = {
    ...request,
    isRefusedForMain: request.state === "refused" && request.note === NOTES.main,
  };
  const { code, secret } = receipt;
  const text =
    hasData(view) && secret !== null ? await deps.call(ip, (requests) => requests.fetch(code, secret)) : null;
  const isSecretWrong = hasData(view) && secret !== null && text === null;
  const page = requestPage(deps.holderSite(), {
    ...receipt,
    request: view,
    signed: findSigned(deps.keys, code, fields.message),
    record: text === null ? null : (JSON.parse(text) as StoredRecord),
    isSecretWrong,
    now: new Date(),
  });
  return holderContent(page, isSecretWrong ? 404 : status);
}

/** The way back with what is wrong, as a page or as JSON. */
export function unknownContent(
  { holderSite }: KeyedDeps,
  { fields, isJson }: Posted,
  problem: "code" | "secret" = "code",
): Content {
  if (isJson) return problemContent(problem, 404);
  const typed = fields.receipt ?? fields.code ?? "";
  const reason: ReturnProblem = findReceipt(typed) === null ? "form" : "unknown";
  return holderContent(returnPage(holderSite(), typed, reason), 404);
}

/** A secret that a form carries; one of another form is none. */
export const carriedSecret = ({ secret = "" }: Fields): string | null => (isSecret(secret) ? secret : null);
