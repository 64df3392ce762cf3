// Marks of the Latin, Greek, Cyrillic, Hebrew and Arabic scripts, those any script may inherit (accents, variation
// selectors), and the stretching letter of Arabic. Indic and Thai vowel signs and the voicing marks of kana are left
// alone: there they make another word, not another spelling.
const MARKS = /[\p{M}&&[\p{scx=Latn}\p{scx=Grek}\p{scx=Cyrl}\p{scx=Hebr}\p{scx=Arab}\p{scx=Zinh}]]|\u0640/gv;

// Letters that no decomposition takes apart, with the plain letters people type for them.
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
 * The form in which names and keywords are compared: without case, accents and compatibility forms. One pure function
 * for both sides, so that a match never depends on the database's locale.
 */
export function fold(text: string): string {
  const bare = text.normalize("NFKD").replace(MARKS, "");
  // Through the capitals: they unfold ß into SS and bring ı, ſ and ς together. Lower-casing first catches the capital ẞ.
  const lower = bare.toLowerCase().toUpperCase().toLowerCase();
  return lower
    .replace(SPECIAL, (letter) => PLAIN[letter] as string)
    .normalize("NFKD")
    .replace(MARKS, "")
    .normalize("NFC");
}
