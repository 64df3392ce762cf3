/** Recognises the key of the old server in what the server sends. */
export type KeyGuard = {
  /** Whether a text contains the key, in any case, or percent-encoded, or in Base64 or hexadecimal. */
  isIn: (text: string) => boolean;
  /** The text without the key. */
  hide: (text: string) => string;
};

const MIN_ENCODED_LENGTH = 12;

export function createKeyGuard(key: string | null): KeyGuard {
  if (key === null) return { isIn: () => false, hide: (text) => text };
  const bytes = Buffer.from(key);
  // In JSON, quotes and backslashes are escaped. Short forms would be found everywhere.
  const encoded = [bytes.toString("hex"), ...base64Forms(bytes)].filter((form) => form.length >= MIN_ENCODED_LENGTH);
  const forms = [key, JSON.stringify(key).slice(1, -1), ...encoded].map((form) => form.toLowerCase());
  const isIn = (text: string): boolean => {
    const lower = text.toLowerCase();
    const decoded = decode(lower);
    return forms.some((form) => lower.includes(form) || decoded.includes(form));
  };
  return { isIn, hide: (text) => (isIn(text) ? "…" : text) };
}

/** The parts of the Base64 of a longer text that depend on the key only, at its three positions. */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64url");
    const start = Math.ceil((before * 4) / 3);
    const end = Math.floor(((before + bytes.length) * 8) / 6);
    const form = encoded.slice(start, end);
    return [form, form.replaceAll("-", "+").replaceAll("_", "/")];
  });
}

/** Decodes percent-encoded ASCII characters, and entities of HTML. */
const decode = (text: string): string =>
  text
    .replaceAll(/%([0-7][0-9a-f])/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replaceAll(/&#x([0-9a-f]{1,4});/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replaceAll(/&#(\d{1,5});/g, (_, digits: string) => String.fromCharCode(Number(digits)))
    .toLowerCase();
