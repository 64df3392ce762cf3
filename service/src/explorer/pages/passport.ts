import type { SinglePassport } from "@credence/contract/answers.ts";
import { passportPage } from "@credence/explorer/people/passport-page.ts";
import type { FastifyInstance } from "fastify";
import { clientNetwork } from "#core/http/connections/client-network.ts";
import { addRoute, NotFound } from "#core/http/respond/respond.ts";
import { parseReference, type Reference } from "#core/identity/reference.ts";
import { pageContent } from "#explorer/site/page-content.ts";
import { parseAnswer } from "#v1/answers/answers.ts";
import { type PeopleDeps, peopleSite, redirectTo } from "./people-site.ts";
import { readCredentials, readPlace, readTarget } from "./read-person.ts";

const DAY_MS = 86_400_000;

/** A wallet redirects to the passport, so that a page has one address. */
export function passport(app: FastifyInstance, deps: PeopleDeps): void {
  const { answers, responder, site } = deps;
  addRoute<{ Params: { id: string } }>(app, "/passports/:id", responder, async ({ headers, params, ip }) => {
    const reference = parseReference(params.id);
    const found = reference === null ? null : await answers.passport(reference);
    if (found === null) throw new NotFound();
    const path = `/passports/${found.passportId}`;
    if (path !== `/passports/${params.id}`) return redirectTo(site.basePath + path);
    const { passport } = parseAnswer<SinglePassport>(found);
    const [credentials, place, target] = await Promise.all([
      readCredentials(deps, reference as Reference),
      readPlace(deps, passport, clientNetwork(ip)),
      readTarget(deps, passport),
    ]);
    // The page shows the day, so that every node sends the same bytes.
    const now = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS);
    return pageContent(headers, passportPage(peopleSite(deps), { passport, credentials, place, target, now }));
  });
}
