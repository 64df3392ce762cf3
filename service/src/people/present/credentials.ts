import { etagOf } from "@credence/contract/answer-bytes.ts";
import type { PassportCredentials } from "@credence/contract/answers.ts";
import type { Credential } from "@credence/contract/credential.ts";
import { withoutExponent } from "./json.ts";

/** `body` is the complete response of the credentials endpoint. */
export type CredentialDocument = { body: string; etag: string };

export function presentCredentials(credentials: readonly Credential[]): CredentialDocument {
  const answer: Record<keyof PassportCredentials, unknown> = {
    passport_credentials: credentials.toSorted(inV1Order).map(presentCredential),
  };
  const body = JSON.stringify(answer);
  return { body, etag: etagOf(body) };
}

/** By category, score descending, id. Compares code units: independent of the locale. */
export function inV1Order(a: Credential, b: Credential): number {
  return compare(a.category, b.category) || b.score - a.score || compare(a.id, b.id);
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Sets the fields in the order of V1. */
const presentCredential = (credential: Credential): Record<keyof Credential, unknown> => ({
  id: credential.id,
  earned_at: credential.earned_at,
  category: credential.category,
  last_calculated_at: credential.last_calculated_at,
  max_score: withoutExponent(credential.max_score),
  score: withoutExponent(credential.score),
  name: credential.name,
  type: credential.type,
  value: credential.value,
});
