import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const ID_LENGTH = 10;
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;

const TOKEN = new RegExp(`^crd_([0-9A-Za-z]{${ID_LENGTH}})[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`);

/** A token that we issue: prefix, id, secret and checksum. The checksum tells a typo or junk without asking anybody. */
export function formatToken(id: string, secret: string): string {
  const body = `crd_${id}${secret}`;
  return body + checksum(body);
}

/** The id in a token of ours; null for anything whose form or checksum is not ours. */
export function readTokenId(token: string): string | null {
  const id = TOKEN.exec(token)?.[1];
  if (id === undefined) return null;
  return token.endsWith(checksum(token.slice(0, -CHECKSUM_LENGTH))) ? id : null;
}

/** What is kept of a token. Quick on purpose: a random secret of 190 bits needs no slow hash, and every request pays for it. */
export function hashToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** New ids and secrets, by a source of random whole numbers below a bound. */
export function randomTokenParts(randomBelow: (bound: number) => number): { id: string; secret: string } {
  const letters = (length: number) => Array.from({ length }, () => BASE62.charAt(randomBelow(BASE62.length))).join("");
  return { id: letters(ID_LENGTH), secret: letters(SECRET_LENGTH) };
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = "";
  for (let at = 0; at < CHECKSUM_LENGTH; at++) {
    digits = BASE62.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
