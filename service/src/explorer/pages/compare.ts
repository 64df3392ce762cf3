import type { PassportList, SinglePassport } from "@credence/contract/answers.ts";
import { type CompareView, comparePage, comparePath } from "@credence/explorer/people/compare-page.ts";
import type { Compared } from "@credence/explorer/people/lanes.ts";
import type { FastifyInstance } from "fastify";
import { clientNetwork } from "#core/http/connections/client-network.ts";
import { addRoute } from "#core/http/respond/respond.ts";
import { parseReference } from "#core/identity/reference.ts";
import { pageContent } from "#explorer/site/page-content.ts";
import { parseAnswer } from "#v1/answers/answers.ts";
import { parseListQuery } from "#v1/answers/list-query.ts";
import { type CompareQuery, readCompareQuery } from "./compare-query.ts";
import { type PeopleDeps, peopleSite, redirectTo } from "./people-site.ts";
import { readCredentials, readPlace } from "./read-person.ts";

/** Of a name that several people have. */
const MAX_NAMED = "6";
const PLAIN = /^[\w.-]+$/;
/** Of the list, as a set to begin with. */
const MAX_FIRST = 3;

/** Up to four people. A set has one address: the numbers in ascending order. */
export function compare(app: FastifyInstance, deps: PeopleDeps): void {
  const redirect = (ids: readonly string[]) => redirectTo(deps.site.basePath + comparePath(ids.toSorted(compareIds)));
  addRoute<{ Querystring: CompareQuery }>(app, "/compare", deps.responder, async ({ headers, query, ip }) => {
    const client = clientNetwork(ip);
    const { texts, added } = readCompareQuery(query);
    const [other, ...found] = await Promise.all([added, ...texts].map((text) => findPerson(deps, text, client)));
    // Nobody lists it as a wallet, so it is a name.
    const named = typeof other === "string" ? await findNamed(deps, other, client) : null;
    if (other !== undefined && typeof other !== "string") found.push(other);
    const people = uniquePeople(found.filter((person) => typeof person !== "string"));
    const unknown = found.filter((person) => typeof person === "string").toSorted(compareIds);
    const ids = [...people.map(({ passport }) => String(passport.passport_id)), ...unknown];
    if (named !== null && named.list.pagination.total === 1)
      return redirect([...new Set([...ids, String(named.list.passports[0]?.passport_id)])]);
    // A text with other characters is shown where it was typed: browsers encode some of them anew.
    const isReferring = named === null && unknown.every((text) => PLAIN.test(text));
    const hasOneAddress =
      Object.keys(query).every((name) => name === "ids") && (query.ids ?? "") === ids.toSorted(compareIds).join(" ");
    if (isReferring && !hasOneAddress) return redirect(ids);
    const first = ids.length === 0 && named === null ? await firstOfList(deps, client) : [];
    return pageContent(headers, comparePage(peopleSite(deps), { people, unknown, named, first }));
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

/** Who has a text in their name; null for a text without letters. */
async function findNamed({ answers }: PeopleDeps, name: string, client: string): Promise<CompareView["named"]> {
  const query = parseListQuery({ keyword: name, per_page: MAX_NAMED });
  if (query.keyword.kind === "all") return null;
  return { name, list: parseAnswer<PassportList>(await answers.list(query, client)) };
}

/** Reads the page of the list that the home page reads, too. */
async function firstOfList({ answers }: PeopleDeps, client: string): Promise<number[]> {
  const { passports } = parseAnswer<PassportList>(await answers.list(parseListQuery({}), client));
  return passports.slice(0, MAX_FIRST).map(({ passport_id }) => passport_id);
}
