// Combining marks of the Latin, Greek, Cyrillic, Hebrew and Arabic scripts, marks that any script
// can inherit (accents, variation selectors), and the Arabic tatweel. Indic and Thai vowel signs
// and kana voicing marks are not removed: without them the text is a different word.
const MARKS = /[\p{M}&&[\p{scx=Latn}\p{scx=Grek}\p{scx=Cyrl}\p{scx=Hebr}\p{scx=Arab}\p{scx=Zinh}]]|\u0640/gv;

// Letters without a Unicode decomposition, and the plain letters that people type for them.
const PLAIN: Record<string, string> = {
  ς: "σ",
  ı: "i",
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
  þ: "th",
  ħ: "h",
  ŧ: "t",
  ŋ: "n",
  æ: "ae",
  œ: "oe",
};
const SPECIAL = new RegExp(`[${Object.keys(PLAIN).join("")}]`, "g");

/**
 * Removes case, accents and compatibility forms. Names and keywords are both compared in this form,
 * so a match never depends on the locale of the database.
 */
export function fold(text: string): string {
  const bare = text.normalize("NFKD").replace(MARKS, "");
  // Upper case maps ß to SS and unifies ı, ſ and ς. The first toLowerCase handles the capital ẞ.
  const lower = bare.toLowerCase().toUpperCase().toLowerCase();
  return lower
    .replace(SPECIAL, (letter) => PLAIN[letter] as string)
    .normalize("NFKD")
    .replace(MARKS, "")
    .normalize("NFC");
}
