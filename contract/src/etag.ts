import { hash } from "node:crypto";

/**
 * The entity tag of an answer: 132 bits of the SHA-256 of its uncompressed bytes.
 * It is weak because every content coding has the same tag.
 */
export function etagOf(body: string | Uint8Array): string {
  return `W/"${hash("sha256", body, "base64url").slice(0, 22)}"`;
}
