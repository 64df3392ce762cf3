import { formatToken, randomTokenParts } from "#core/identity/api-key.ts";
import { anyOf } from "./attack.ts";

// Hostile values for headers and queries.

const randomBelow = (bound: number): number => Math.floor(Math.random() * bound);

const letters = (count: number): string =>
  Array.from({ length: count }, () => String.fromCharCode(97 + randomBelow(26))).join("");

export const junkKey = (): string => letters(24);

/** A key that was never issued, with a valid form and checksum. */
export function forgedKey(): string {
  const { id, secret } = randomTokenParts(randomBelow);
  return formatToken(id, secret);
}

/** With the request line and the other headers, stays below the server's limit of 16 KiB. */
const LONG_TAGS = 640;
export const longTags = (): string => Array.from({ length: LONG_TAGS }, () => `W/"${letters(20)}"`).join(",");
export const shortTags = (): string => Array(5_000).fill('""').join(",");

/** Grams of many names. The index is least selective for them. */
const COMMON = ["ant", "ber", "dra", "ell", "ian", "ina", "lin", "man", "mar", "ria", "ron", "sen", "son", "ter"];

export const keywordQuery = (): string =>
  `keyword=${anyOf(COMMON)}${anyOf(["", "%20"])}${anyOf(COMMON)}&per_page=${1 + randomBelow(100)}`;
