import { createHash } from "node:crypto";
import { LIMITS } from "@credence/contract/person-limits.ts";
import { PRESENTER_VERSION } from "#people/present/version.ts";

const PASSPORT_ID = '"passport_id":';

/**
 * 128 bits of SHA-256, in hex. The version of the presenter is part of it: a line that another version
 * imported is read again.
 */
export const digestLine = (line: Buffer): string =>
  createHash("sha256").update(`presenter ${PRESENTER_VERSION}\n`).update(line).digest("hex").slice(0, 32);

/**
 * The passport_id of a line, without parsing it. A wrong guess is harmless: its stored digest
 * belongs to another line, and beyond that it only decides whether a refused line's text is
 * withheld.
 */
export function guessPassportId(line: Buffer): number | null {
  const index = line.indexOf(PASSPORT_ID);
  if (index === -1) return null;
  const start = index + PASSPORT_ID.length;
  // A quoted id makes the line invalid, but still names the person.
  const [, digits] = /^\s*"?(\d{1,16})/.exec(line.toString("latin1", start, start + 24)) ?? [];
  const id = Number(digits);
  return Number.isSafeInteger(id) ? id : null;
}

const MAIN_WALLET = '"main_wallet":';

/** The main wallet of a line that cannot be parsed. */
export function guessMainWallet(line: Buffer): string | null {
  const index = line.indexOf(MAIN_WALLET);
  if (index === -1) return null;
  const start = index + MAIN_WALLET.length;
  const [, address] = /^\s*"([^"\\]+)"/.exec(line.toString("utf8", start, start + LIMITS.walletCharacters * 4)) ?? [];
  return address ?? null;
}
