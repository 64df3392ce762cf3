// Text from others can hold characters that move a terminal's cursor, change its colours or reverse the direction of a line.
const UNPRINTABLE = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** For people: each unprintable character, a line break included, becomes \uFFFD. */
export const printable = (text: string): string => text.replaceAll(UNPRINTABLE, "\uFFFD");

/** For JSON that a person may look at: escaped, so that it still means the same. */
export const escapeUnprintable = (json: string): string =>
  json.replaceAll(UNPRINTABLE, (character) =>
    character === "\n" ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
