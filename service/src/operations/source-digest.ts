import { createHash } from "node:crypto";
import { PRESENTER_VERSION } from "#present/version.ts";

const PASSPORT_ID = '"passport_id":';

/** 128 bits of SHA-256, in hex. What another version of the presenter made of a line does not count. */
export function digestLine(line: Buffer): string {
  return createHash("sha256").update(`presenter ${PRESENTER_VERSION}\n`).update(line).digest("hex").slice(0, 32);
}

/**
 * Whose line it probably is, without reading it as JSON. A wrong guess does no harm: the digest held for that person is
 * then of another line.
 */
export function guessPassportId(line: Buffer): number | null {
  const at = line.indexOf(PASSPORT_ID);
  if (at === -1) return null;
  const start = at + PASSPORT_ID.length;
  const id = Number.parseInt(line.toString("latin1", start, start + 20), 10);
  return Number.isSafeInteger(id) ? id : null;
}
