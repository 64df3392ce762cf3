import type { PassportCredentials, SinglePassport } from "@credence/contract/answers.ts";
import type { Credential } from "@credence/contract/credential.ts";
import type { PassportDetail } from "@credence/contract/passport.ts";
import { passportPage } from "@credence/explorer/people/passport-page.ts";
import type { Place } from "@credence/explorer/people/score-section.ts";
import type { FastifyInstance } from "fastify";
import { parseAnswer } from "#http/answers/answers.ts";
import { clientAddress } from "#http/limits/client-address.ts";
import { pageContent } from "#http/pages/page-content.ts";
import { addRoute, NotFound } from "#http/respond/respond.ts";
import { parseReference, type Reference } from "#identity/reference.ts";
import { codeOf, isUnavailable, UNDEFINED_TABLE } from "#store/engine/failures.ts";
import { findPlace } from "#store/standing/epochs.ts";
import { type ExplorerDeps, peopleSite } from "./people-site.ts";
import { redirectTo } from "./redirect.ts";

const DAY_MS = 86_400_000;

/** A wallet redirects to the passport, so that a page has one address. */
export function passport(app: FastifyInstance, deps: ExplorerDeps): void {
  const { answers, responder, site } = deps;
  addRoute<{ Params: { id: string }; Querystring: { points?: string } }>(
    app,
    "/passports/:id",
    responder,
    async (request) => {
      const { headers, params, query, ip } = request;
      const reference = parseReference(params.id);
      const found = reference === null ? null : await answers.passport(reference);
      if (found === null) throw new NotFound();
      const path = `/passports/${found.passportId}`;
      if (path !== `/passports/${params.id}`) return redirectTo(site.basePath + path);
      const { passport } = parseAnswer<SinglePassport>(found);
      const [credentials, place] = await Promise.all([
        readCredentials(deps, reference as Reference),
        readPlace(deps, passport, clientAddress(ip)),
      ]);
      // The page shows the day, so that every node sends the same bytes.
      const now = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS);
      return pageContent(
        headers,
        passportPage(peopleSite(deps), { passport, credentials, hidesUnearned: query.points === "earned", place, now }),
      );
    },
  );
}

/** Null if they cannot be read now: the rest of the page is still useful. */
async function readCredentials({ answers }: ExplorerDeps, reference: Reference): Promise<Credential[] | null> {
  try {
    const answer = await answers.credentials(reference);
    return answer === null ? [] : parseAnswer<PassportCredentials>(answer).passport_credentials;
  } catch (error) {
    if (isUnavailable(error)) return null;
    throw error;
  }
}

/**
 * The place in the list. Null if there is none, if it cannot be read now, or if the list has another
 * score: the score has changed since the list was built.
 */
async function readPlace(
  { readers, readListInfo }: ExplorerDeps,
  { passport_id, score, merged }: PassportDetail,
  client: string,
): Promise<Place | null> {
  if (score === null || merged) return null;
  try {
    const { epoch, total, builtAt, distribution } = await readListInfo();
    const { pages, gates } = readers.current();
    const place = await gates.pages.run(client, () => findPlace(pages, epoch, passport_id));
    return place?.score === score ? { rank: place.rank, total, builtAt, distribution } : null;
  } catch (error) {
    // Two builds in five seconds drop the table of the epoch; a replica may not have it yet.
    if (isUnavailable(error) || codeOf(error) === UNDEFINED_TABLE) return null;
    throw error;
  }
}
