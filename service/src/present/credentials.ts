import type { PassportCredentials } from "@credence/contract/answers.ts";
import type { Credential } from "@credence/contract/credential.ts";
import { etagOf } from "@credence/contract/etag.ts";
import { exact } from "./json.ts";

/** `body` is the whole answer of the credentials endpoint. */
export type CredentialDocument = { body: string; etag: string };

export function presentCredentials(credentials: readonly Credential[]): CredentialDocument {
  const answer: Record<keyof PassportCredentials, unknown> = {
    passport_credentials: credentials.toSorted(inV1Order).map(presentCredential),
  };
  const body = JSON.stringify(answer);
  return { body, etag: etagOf(body) };
}

/** By category, then the highest score, then id; texts by their code units, so that no locale can change the order. */
export function inV1Order(one: Credential, other: Credential): number {
  return compare(one.category, other.category) || other.score - one.score || compare(one.id, other.id);
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** Its fields in V1's order, whatever order they came in. */
const presentCredential = (credential: Credential): Record<keyof Credential, unknown> => ({
  id: credential.id,
  earned_at: credential.earned_at,
  category: credential.category,
  last_calculated_at: credential.last_calculated_at,
  max_score: exact(credential.max_score),
  score: exact(credential.score),
  name: credential.name,
  type: credential.type,
  value: credential.value,
});
