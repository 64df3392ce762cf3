// These characters control a terminal: cursor, colours, text direction.
const UNPRINTABLE = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** Replaces each unprintable character, including a line break, by \uFFFD. */
export const printable = (text: string): string => text.replaceAll(UNPRINTABLE, "\uFFFD");

/** Escapes unprintable characters in JSON. The parsed value stays the same. */
export const escapeUnprintable = (json: string): string =>
  json.replaceAll(UNPRINTABLE, (character) =>
    character === "\n" ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
