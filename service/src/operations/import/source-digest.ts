import { createHash } from "node:crypto";
import { LIMITS } from "@credence/contract/person.ts";
import { PRESENTER_VERSION } from "#present/version.ts";

const PASSPORT_ID = '"passport_id":';

/**
 * 128 bits of SHA-256, in hex. What another version of the presenter made of a line does not count, nor one that was taken in
 * with or without its scores when now it is the other way round.
 */
export function digestLine(line: Buffer, withScores: boolean): string {
  return createHash("sha256")
    .update(`presenter ${PRESENTER_VERSION}${withScores ? "" : " without scores"}\n`)
    .update(line)
    .digest("hex")
    .slice(0, 32);
}

/**
 * Whose line it probably is, without reading it as JSON. A wrong guess does no harm: the digest stored for that person is then of
 * another line, and nothing else is decided by it but whether a refused line's text is withheld.
 */
export function guessPassportId(line: Buffer): number | null {
  const at = line.indexOf(PASSPORT_ID);
  if (at === -1) return null;
  const start = at + PASSPORT_ID.length;
  // Somebody's number stays theirs in quotes, which make the line one that is refused.
  const [, digits] = /^\s*"?(\d{1,16})/.exec(line.toString("latin1", start, start + 24)) ?? [];
  const id = Number(digits);
  return Number.isSafeInteger(id) ? id : null;
}

const MAIN_WALLET = '"main_wallet":';

/** Likewise, whose main wallet a line names that cannot be read. */
export function guessMainWallet(line: Buffer): string | null {
  const at = line.indexOf(MAIN_WALLET);
  if (at === -1) return null;
  const start = at + MAIN_WALLET.length;
  const [, address] = /^\s*"([^"\\]+)"/.exec(line.toString("utf8", start, start + LIMITS.walletCharacters * 4)) ?? [];
  return address ?? null;
}
