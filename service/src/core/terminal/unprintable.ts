// These characters control a terminal: cursor, colours, text direction.
const UNPRINTABLE = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** Replaces each unprintable character, including a line break, by \uFFFD. */
export const printable = (text: string): string => text.replaceAll(UNPRINTABLE, "\uFFFD");

/** Whether a text is one line that is not blank. Marks of text direction are part of some languages. */
export const isOneLine = (text: string): boolean => /^[^\p{Cc}\u2028\u2029]+$/u.test(text) && text.trim() !== "";

const OWN_COLOUR = "\u{1B}\\[\\d{1,2}m";
const COLOUR_OR_UNPRINTABLE = new RegExp(`${OWN_COLOUR}|${UNPRINTABLE.source}`, "gu");

/** The same for whole texts of several lines, with the colours of this program. */
export const printableLines = (text: string): string =>
  text.replaceAll(COLOUR_OR_UNPRINTABLE, (found) => (found === "\n" || found.length > 1 ? found : "\uFFFD"));

/** Escapes unprintable characters in JSON. The parsed value stays the same. */
export const escapeUnprintable = (json: string): string =>
  json.replaceAll(UNPRINTABLE, (character) =>
    character === "\n" ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
