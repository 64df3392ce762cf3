import { formatDay } from "../dates.ts";
import type { HolderSite } from "./holder-site.ts";

/** The code of a request, and the secret for data that is fetched later; null for other requests. */
export type Receipt = { code: string; secret: string | null };

const CODE = /^[0-9a-f]{4}(?:-[0-9a-f]{4}){7}$/;
const SECRET = /^[\w-]{43}$/;
export const SECRET_CHARACTERS = 43;

export const isCode = (text: string): boolean => CODE.test(text);
export const isSecret = (text: string): boolean => SECRET.test(text);

/** The receipt as a text to keep. `about`: what was signed, and when. */
export const receiptText = (
  { settings: { publicUrl } }: HolderSite,
  { code, secret }: Receipt,
  about: { wish: string; at: Date } | null,
): string =>
  [
    ...(about === null ? [] : [`${about.wish}, ${formatDay(about.at)}`]),
    `Receipt of a request to ${publicUrl}`,
    "",
    `Code:   ${code}`,
    ...(secret === null ? [] : [`Secret: ${secret}`]),
    "",
    `To come back, paste this whole text at ${publicUrl}/holder/requests`,
    "Keep this file private: it gives everybody the same access.",
    "",
  ].join("\n");

/** Finds code and secret in what the holder pasted: a whole receipt, or only the code. */
export function findReceipt(text: string): Receipt | null {
  const words = text.split(/\s+/);
  const code = words.map((word) => word.toLowerCase()).find(isCode) ?? codeOf(text);
  if (code === null) return null;
  // What follows the word may be incomplete, which the page then says.
  const [, named] = /\bSecret:\s*(\S+)/i.exec(text) ?? [];
  return { code, secret: named ?? words.find(isSecret) ?? null };
}

/** A code alone, with or without its hyphens. */
function codeOf(text: string): string | null {
  const digits = text.replaceAll(/[\s-]/g, "").toLowerCase();
  return /^[0-9a-f]{32}$/.test(digits) ? (digits.match(/.{4}/g) ?? []).join("-") : null;
}
