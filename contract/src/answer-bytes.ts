import { hash } from "node:crypto";
import type { Pagination } from "./answers.ts";

// Answers are concatenated from JSON texts that are already printed.

/** `item` is a passport of the list; `tail` is the two further fields and the closing brace. */
export function singlePassportAnswer(item: string, tail: string): string {
  return `{"passport":${item.slice(0, -1)}${tail}}`;
}

/** `items` are passports of the list, with commas between them. */
export function passportListAnswer(items: string, page: Pagination): string {
  return `{"passports":[${items}],"pagination":{"current_page":${page.current_page},"last_page":${page.last_page},"total":${page.total}}}`;
}

export function passportCredentialsAnswer(items: readonly string[]): string {
  return `{"passport_credentials":[${items.join(",")}]}`;
}

/**
 * The entity tag of an answer: 132 bits of the SHA-256 of its uncompressed bytes.
 * It is weak because every content coding has the same tag.
 */
export function etagOf(body: string | Uint8Array): string {
  return `W/"${hash("sha256", body, "base64url").slice(0, 22)}"`;
}

/** Prints a JSON document as it is committed and served. */
export function printDocument(document: unknown): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
