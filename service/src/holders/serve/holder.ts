import { holderView } from "@credence/explorer/holder-requests/holder-page.ts";
import { type Problem, problemText } from "@credence/explorer/holder-requests/problems.ts";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { addRoute } from "#core/http/respond/respond.ts";
import { createRequest } from "./create-request.ts";
import { holderContent, problemContent } from "./holder-content.ts";
import { findDemoWallet, type HolderDeps, holderDeps, holderSite } from "./holder-deps.ts";
import { refuseOtherMethods, trackMethods } from "./other-methods.ts";
import { addPostRoute, sendsJson } from "./post-route.ts";
import { readFields, Unreadable } from "./read-fields.ts";
import { saveReceipt } from "./save-receipt.ts";
import { parseHolderQuery, showHolder } from "./show-holder.ts";
import { showData, showState, withdrawRequest } from "./show-request.ts";
import { signForDemo } from "./sign-for-demo.ts";

/** Requests of holders. These routes read bodies, and work after the sunset. */
export async function holder(app: FastifyInstance, deps: HolderDeps): Promise<void> {
  const { config, responder } = deps;
  await app.register(async (scope) => {
    readFields(scope);
    const methods = trackMethods(scope);
    scope.setErrorHandler((error: FastifyError, request, reply) => respondProblem(deps, error, request, reply));
    if (config.holderRequests === "off" || config.holderKeys.length === 0) switchedOff(scope, deps);
    else {
      const withKeys = holderDeps(deps);
      showHolder(scope, withKeys);
      createRequest(scope, withKeys);
      showState(scope, withKeys);
      saveReceipt(scope, withKeys);
      withdrawRequest(scope, withKeys);
      showData(scope, withKeys);
      const wallet = findDemoWallet(deps);
      if (wallet !== null) signForDemo(scope, withKeys, wallet);
    }
    refuseOtherMethods(scope, methods, responder);
  });

  function respondProblem(deps: HolderDeps, error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
    const [problem, status] = problemOf(error);
    // Everything else has the same meaning as on other pages.
    if (problem === null) throw error;
    const route = request.routeOptions.url ?? "none";
    if (sendsJson(request.headers["content-type"]))
      return responder.respond(reply, route, problemContent(problem, status));
    const site = holderSite(deps);
    const view = { entered: parseHolderQuery({}), shown: null, errors: [], problem: problemText(problem) };
    responder.respond(reply, route, holderContent(holderView(site, view), status));
  }
}

function problemOf(error: FastifyError): [Problem, number] | [null, 0] {
  if (error instanceof Unreadable) return ["unreadable", 400];
  if (error.code === "FST_ERR_CTP_BODY_TOO_LARGE") return ["too_large", 413];
  if (error.code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") return ["media_type", 415];
  return error.code?.startsWith("FST_ERR_CTP_") ? ["unreadable", 400] : [null, 0];
}

/** The pages then show how to reach the operator. */
function switchedOff(app: FastifyInstance, deps: HolderDeps): void {
  const page = (status = 200) =>
    holderContent(
      holderView(holderSite(deps), { entered: parseHolderQuery({}), shown: null, errors: [], problem: null }),
      status,
    );
  for (const url of ["/holder", "/holder/requests"]) addRoute(app, url, deps.responder, () => page());
  addPostRoute(app, "/holder/requests", deps.responder, ({ isJson }) =>
    isJson ? problemContent("off", 404) : page(404),
  );
}
