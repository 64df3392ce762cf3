import { hash } from "node:crypto";

/**
 * The weak entity tag of an answer, over its uncompressed bytes. Weak, as the same tag stands for every content coding;
 * 132 bits of SHA-256 are far more than telling two versions of an answer apart takes.
 */
export function etagOf(body: string): string {
  return `W/"${hash("sha256", body, "base64url").slice(0, 22)}"`;
}
