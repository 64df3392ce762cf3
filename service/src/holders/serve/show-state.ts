import { dataPage, type StoredRecord } from "@credence/explorer/holder-requests/data-page.ts";
import { statePage } from "@credence/explorer/holder-requests/state-page.ts";
import type { FastifyInstance } from "fastify";
import { type Content, JSON_TYPE } from "#core/http/respond/content.ts";
import { addRoute } from "#core/http/respond/respond.ts";
import { fileToSave, holderContent, jsonContent, problemContent } from "./holder-content.ts";
import type { KeyedDeps } from "./holder-deps.ts";
import { addPostRoute, type Posted } from "./post-route.ts";
import type { ShownRequest } from "./serve-requests.ts";

/** The state of a request. Its code is sent in a body: URLs are logged and remembered. */
export function showState(app: FastifyInstance, deps: KeyedDeps): void {
  const { responder, holderSite, call } = deps;
  addRoute(app, "/holder/requests", responder, () =>
    holderContent(statePage(holderSite(), { code: "", request: null, problem: null, now: new Date() })),
  );
  addPostRoute(app, "/holder/requests/state", responder, async (posted) => {
    const { code = "" } = posted.fields;
    return stateContent(deps, posted, await call(posted.ip, (requests) => requests.stateOf(code)));
  });
}

/** Withdraws an open request, and shows its state. */
export function withdrawRequest(app: FastifyInstance, deps: KeyedDeps): void {
  const { responder, call } = deps;
  addPostRoute(app, "/holder/requests/withdraw", responder, async (posted) => {
    const { code = "" } = posted.fields;
    return stateContent(deps, posted, await call(posted.ip, (requests) => requests.withdraw(code)));
  });
}

function stateContent(deps: KeyedDeps, posted: Posted, request: ShownRequest | null): Content {
  if (request === null) return unknownContent(deps, posted, "code");
  const { fields, isJson } = posted;
  if (isJson) return jsonContent(request);
  return holderContent(
    statePage(deps.holderSite(), { code: fields.code ?? "", request, problem: null, now: new Date() }),
  );
}

/** The look-up form with what is wrong, as a page or as JSON. */
export function unknownContent(
  { holderSite }: KeyedDeps,
  { fields, isJson }: Posted,
  problem: "code" | "secret",
): Content {
  if (isJson) return problemContent(problem, 404);
  const view = { code: fields.code ?? "", request: null, problem, now: new Date() };
  return holderContent(statePage(holderSite(), view), 404);
}

/** The prepared data, for the code and the secret of the receipt. A program gets it as it is stored. */
export function showData(app: FastifyInstance, deps: KeyedDeps): void {
  const { responder, holderSite, call } = deps;
  addPostRoute(app, "/holder/requests/data", responder, async (posted) => {
    const { code = "", secret = "", as } = posted.fields;
    const text = await call(posted.ip, (requests) => requests.fetch(code, secret));
    if (text === null) return unknownContent(deps, posted, "secret");
    if (posted.isJson || as === "file") return fileToSave("record.json", JSON_TYPE, text);
    return holderContent(dataPage(holderSite(), { code, secret, record: JSON.parse(text) as StoredRecord }));
  });
}
