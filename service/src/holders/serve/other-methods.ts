import type { FastifyInstance } from "fastify";
import type { Content } from "#core/http/respond/content.ts";
import type { Responder } from "#core/http/respond/respond.ts";
import { jsonContent } from "./holder-content.ts";

/** Collects the methods of the routes that are added to this scope, by path. */
export function trackMethods(scope: FastifyInstance): Map<string, Set<string>> {
  const methods = new Map<string, Set<string>>();
  scope.addHook("onRoute", ({ url, method }) => {
    methods.set(url, new Set([...(methods.get(url) ?? []), ...[method].flat()]));
  });
  return methods;
}

/** Any other method of these paths gets 405, before its body is read. OPTIONS says which there are. */
export function refuseOtherMethods(
  scope: FastifyInstance,
  methods: ReadonlyMap<string, ReadonlySet<string>>,
  { respond }: Responder,
): void {
  for (const [url, served] of [...methods]) {
    const allow = ["allow", [...[...served].toSorted(), "OPTIONS"].join(", ")];
    const refused: Content = { ...jsonContent(describe(served), 405), headers: allow };
    const options: Content = { ...refused, status: 204, body: "" };
    const unreachable = () => {
      throw new Error("The hook responds to this method.");
    };
    scope.route({
      method: scope.supportedMethods.filter((method) => !served.has(method)),
      url,
      onRequest: (request, reply) => respond(reply, url, request.method === "OPTIONS" ? options : refused),
      handler: unreachable,
    });
  }
}

const describe = (served: ReadonlySet<string>) => ({
  error: `Only ${[...served].toSorted().join(", ")} and OPTIONS are answered here.`,
  code: "method_not_allowed",
});
