import type { PassportCredentials, SinglePassport } from "@credence/contract/answers.ts";
import type { Credential } from "@credence/contract/credential.ts";
import { passportPage } from "@credence/explorer/people/passport-page.ts";
import type { FastifyInstance } from "fastify";
import { parseAnswer } from "#http/answers/answers.ts";
import { pageContent } from "#http/pages/page-content.ts";
import { addRoute, NotFound } from "#http/respond/respond.ts";
import { parseReference, type Reference } from "#identity/reference.ts";
import { isUnavailable } from "#store/engine/failures.ts";
import { type ExplorerDeps, peopleSite } from "./people-site.ts";
import { redirectTo } from "./redirect.ts";

const DAY_MS = 86_400_000;

/** A wallet redirects to the passport, so that a page has one address. */
export function passport(app: FastifyInstance, deps: ExplorerDeps): void {
  const { answers, responder, site } = deps;
  addRoute<{ Params: { id: string } }>(app, "/passports/:id", responder, async ({ headers, params }) => {
    const reference = parseReference(params.id);
    const found = reference === null ? null : await answers.passport(reference);
    if (found === null) throw new NotFound();
    const path = `/passports/${found.passportId}`;
    if (path !== `/passports/${params.id}`) return redirectTo(site.basePath + path);
    const credentials = await readCredentials(deps, reference as Reference);
    const { passport } = parseAnswer<SinglePassport>(found);
    // The page shows the day, so that every node sends the same bytes.
    const now = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS);
    return pageContent(headers, passportPage(peopleSite(deps), { passport, credentials, now }));
  });
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
