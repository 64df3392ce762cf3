import { holderView } from "@credence/explorer/holder-requests/holder-page.ts";
import { type Problem, problemText } from "@credence/explorer/holder-requests/problems.ts";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Content } from "#core/http/respond/content.ts";
import { addRoute, type Responder } from "#core/http/respond/respond.ts";
import { showRequests } from "./ask.ts";
import { addPostRoute, readFields, sendsJson, Unreadable } from "./fields.ts";
import { holderContent, problemContent } from "./holder-content.ts";
import { findDemoWallet, type HolderDeps, holderDeps, holderSite } from "./holder-deps.ts";
import { sendRequest } from "./send.ts";

/** Requests of holders. These routes read bodies, and work after the sunset. */
export async function holder(app: FastifyInstance, deps: HolderDeps): Promise<void> {
  const { config, responder } = deps;
  await app.register(async (scope) => {
    readFields(scope);
    scope.setErrorHandler((error: FastifyError, request, reply) => respondProblem(deps, error, request, reply));
    if (config.holderRequests === "off" || config.holderKeys.length === 0) switchedOff(scope, deps);
    else {
      const withKeys = holderDeps(deps);
      showRequests(scope, withKeys);
      sendRequest(scope, withKeys, findDemoWallet(deps));
    }
    refuseOtherMethods(scope, responder);
  });

  function respondProblem(deps: HolderDeps, error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
    const [problem, status] = problemOf(error);
    // Everything else has the same meaning as on other pages.
    if (problem === null) throw error;
    const route = request.routeOptions.url ?? "none";
    if (sendsJson(request.headers["content-type"]))
      return responder.respond(reply, route, problemContent(problem, status));
    const site = holderSite(deps);
    const view = { wallet: "", wish: null, errors: [], problem: problemText(problem) };
    responder.respond(reply, route, holderContent(holderView(site, view), status));
  }
}

function problemOf(error: FastifyError): [Problem, number] | [null, 0] {
  if (error instanceof Unreadable) return ["unreadable", 400];
  if (error.code === "FST_ERR_CTP_BODY_TOO_LARGE") return ["too_large", 413];
  if (error.code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") return ["media_type", 415];
  return error.code?.startsWith("FST_ERR_CTP_") ? ["unreadable", 400] : [null, 0];
}

/** Any other method gets 405, before its body is read. OPTIONS says which there are. */
function refuseOtherMethods(scope: FastifyInstance, { respond }: Responder): void {
  for (const url of ["/holder", "/holder/requests", "/holder/requests/:code"]) {
    const served = scope.supportedMethods.filter((method) => scope.hasRoute({ method, url }));
    if (served.length === 0) continue;
    const headers = ["allow", [...served, "OPTIONS"].join(", ")];
    const refused: Content = { ...problemContent("method_not_allowed", 405), headers };
    scope.route({
      method: scope.supportedMethods.filter((method) => !served.includes(method)),
      url,
      onRequest: ({ method }, reply) =>
        respond(reply, url, method === "OPTIONS" ? { ...refused, status: 204, body: "" } : refused),
      handler: () => undefined,
    });
  }
}

/** The pages then show how to reach the operator. */
function switchedOff(app: FastifyInstance, deps: HolderDeps): void {
  const page = (status = 200) =>
    holderContent(holderView(holderSite(deps), { wallet: "", wish: null, errors: [], problem: null }), status);
  for (const url of ["/holder", "/holder/requests"]) addRoute(app, url, deps.responder, () => page());
  addPostRoute(app, "/holder/requests", deps.responder, ({ isJson }) =>
    isJson ? problemContent("off", 404) : page(404),
  );
}
