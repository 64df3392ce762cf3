import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { crc32 } from "node:zlib";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const ID_LENGTH = 10;
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;

const TOKEN = new RegExp(`^crd_([0-9A-Za-z]{${ID_LENGTH}})[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`);

/** Builds a token. Its checksum rejects typos and junk without a database query. */
export function formatToken(id: string, secret: string): string {
  const body = `crd_${id}${secret}`;
  return body + checksum(body);
}

/** Returns the id in a token, or null if the form or the checksum is wrong. */
export function readTokenId(token: string): string | null {
  const id = TOKEN.exec(token)?.[1];
  if (id === undefined) return null;
  return token.endsWith(checksum(token.slice(0, -CHECKSUM_LENGTH))) ? id : null;
}

/** What the kit and `doctor --url` send to see a key refused. It is the key of no client, so usage does not count it. */
export const isProbeKey = (token: string): boolean => /^credence-(?:conformance|doctor)-not-a-key$/.test(token);

/** The stored form of a token. A fast hash is enough, because the secret has 190 random bits. */
export function hashToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** `randomBelow` returns a random integer from 0 to `bound`, exclusive. */
export function randomTokenParts(randomBelow: (bound: number) => number): { id: string; secret: string } {
  const digits = (length: number) => Array.from({ length }, () => BASE62.charAt(randomBelow(BASE62.length))).join("");
  return { id: digits(ID_LENGTH), secret: digits(SECRET_LENGTH) };
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = "";
  for (let index = 0; index < CHECKSUM_LENGTH; index++) {
    digits = BASE62.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

/** What clients send if the variable for their key is not set. */
const NO_KEYS: ReadonlySet<unknown> = new Set([undefined, "", "undefined", "null"]);

/** Whether the X-API-KEY header has a key. */
export const hasApiKey = (headers: IncomingHttpHeaders): boolean => !NO_KEYS.has(headers["x-api-key"]);
