import type { PassportCredentials, SinglePassport } from "@credence/contract/answers.ts";
import type { Credential } from "@credence/contract/credential.ts";
import type { PassportDetail } from "@credence/contract/passport.ts";
import type { Place } from "@credence/explorer/people/distribution.ts";
import { codeOf, isDenied, isUnavailable, UNDEFINED_TABLE } from "#core/database/failures.ts";
import { parseReference, type Reference } from "#core/identity/reference.ts";
import { findPlace } from "#list/epochs.ts";
import { parseAnswer } from "#v1/answers/answers.ts";
import type { PeopleDeps } from "./people-site.ts";

/** Null if they cannot be read now: the rest of the page is still useful. */
export async function readCredentials({ answers }: PeopleDeps, reference: Reference): Promise<Credential[] | null> {
  try {
    const answer = await answers.credentials(reference);
    return answer === null ? [] : parseAnswer<PassportCredentials>(answer).passport_credentials;
  } catch (error) {
    if (isUnavailable(error) || isDenied(error)) return null;
    throw error;
  }
}

/**
 * The record that a merged one became part of: the wallets of a merged record find it. Null if they find
 * the merged record itself, or nobody, as for a target that is not shown.
 */
export async function readTarget({ answers }: PeopleDeps, passport: PassportDetail): Promise<PassportDetail | null> {
  const reference = parseReference(passport.merged ? (passport.main_wallet ?? "") : "");
  const answer = reference === null ? null : await answers.passport(reference);
  if (answer === null || answer.passportId === passport.passport_id) return null;
  return parseAnswer<SinglePassport>(answer).passport;
}

/**
 * The place in the list. Null if there is none, if it cannot be read now, or if the list has another
 * score: the score has changed since the list was built.
 */
export async function readPlace(
  { readers, readListInfo }: PeopleDeps,
  { passport_id, score, merged }: PassportDetail,
  client: string,
): Promise<Place | null> {
  if (score === null || merged) return null;
  try {
    const { epoch, total, builtAt, distribution } = await readListInfo();
    const { pages, fairQueues } = readers.current();
    const place = await fairQueues.pages.run(client, () => findPlace(pages, epoch, passport_id));
    return place?.score === score ? { rank: place.rank, total, builtAt, distribution } : null;
  } catch (error) {
    // Two builds in five seconds drop the table of the epoch; a replica may not have it yet.
    if (isUnavailable(error) || isDenied(error) || codeOf(error) === UNDEFINED_TABLE) return null;
    throw error;
  }
}
