import { passportCredentialsAnswer } from "@credence/contract/assemble.ts";
import type { Credential } from "@credence/contract/credential.ts";
import { etagOf } from "@credence/contract/etag.ts";
import { printNumber, printText } from "./json.ts";

/** `body` is the whole answer of the credentials endpoint. */
export type CredentialDocument = { body: string; etag: string };

export function presentCredentials(credentials: readonly Credential[]): CredentialDocument {
  const body = passportCredentialsAnswer(credentials.toSorted(inOrder).map(presentCredential));
  return { body, etag: etagOf(body) };
}

/** By category, then the highest score, then id; texts by their code units, so that no locale can change the order. */
function inOrder(one: Credential, other: Credential): number {
  return compare(one.category, other.category) || other.score - one.score || compare(one.id, other.id);
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function presentCredential(credential: Credential): string {
  return (
    `{"id":${printText(credential.id)}` +
    `,"earned_at":${printText(credential.earned_at)}` +
    `,"category":${printText(credential.category)}` +
    `,"last_calculated_at":${printText(credential.last_calculated_at)}` +
    `,"max_score":${printNumber(credential.max_score)}` +
    `,"score":${printNumber(credential.score)}` +
    `,"name":${printText(credential.name)}` +
    `,"type":${printText(credential.type)}` +
    `,"value":${printText(credential.value)}}`
  );
}
