import type { SinglePassport } from "@credence/contract/answers.ts";
import { comparePage, comparePath } from "@credence/explorer/people/compare-page.ts";
import type { Compared } from "@credence/explorer/people/versus-table.ts";
import type { FastifyInstance } from "fastify";
import { clientNetwork } from "#core/http/connections/client-network.ts";
import { addRoute } from "#core/http/respond/respond.ts";
import { parseReference } from "#core/identity/reference.ts";
import { pageContent } from "#explorer/site/page-content.ts";
import { parseAnswer } from "#v1/answers/answers.ts";
import { type CompareQuery, listReferences } from "./compare-query.ts";
import { type PeopleDeps, peopleSite, redirectTo } from "./people-site.ts";
import { readCredentials, readPlace } from "./read-person.ts";

/** Up to four people. A set has one address: the numbers in ascending order. */
export function compare(app: FastifyInstance, deps: PeopleDeps): void {
  addRoute<{ Querystring: CompareQuery }>(app, "/compare", deps.responder, async ({ headers, query, ip }) => {
    const texts = listReferences(query);
    const found = await Promise.all(texts.map((text) => findPerson(deps, text, clientNetwork(ip))));
    const people = uniquePeople(found.filter((person) => typeof person !== "string"));
    const unknown = found.filter((person) => typeof person === "string");
    const ids = [...people.map(({ passport }) => String(passport.passport_id)), ...unknown].toSorted(compareIds);
    // A text that cannot refer to anybody is shown where it was typed: browsers encode some of them anew.
    const isReferring = unknown.every((text) => parseReference(text) !== null);
    if (isReferring && (query.with !== undefined || (query.ids ?? "") !== ids.join(" ")))
      return redirectTo(deps.site.basePath + comparePath(ids));
    return pageContent(headers, comparePage(peopleSite(deps), { people, unknown: unknown.toSorted(compareIds) }));
  });
}

/** A number and a wallet may be those of one person. */
function uniquePeople(people: readonly Compared[]): Compared[] {
  const byId = new Map(people.map((person) => [person.passport.passport_id, person]));
  return [...byId.values()].toSorted((a, b) => a.passport.passport_id - b.passport.passport_id);
}

/** Numbers come first, in ascending order; other texts keep their order. */
const compareIds = (a: string, b: string): number => orderOf(a) - orderOf(b);
const orderOf = (id: string): number => (/^\d+$/.test(id) ? Number(id) : Number.MAX_VALUE);

/** The text itself if nobody is shown for it. */
async function findPerson(deps: PeopleDeps, text: string, client: string): Promise<Compared | string> {
  const reference = parseReference(text);
  const answer = reference === null ? null : await deps.answers.passport(reference);
  if (reference === null || answer === null) return text;
  const { passport } = parseAnswer<SinglePassport>(answer);
  const [credentials, place] = await Promise.all([
    readCredentials(deps, { kind: "passport_id", passportId: passport.passport_id }),
    readPlace(deps, passport, client),
  ]);
  return { passport, credentials, place };
}
