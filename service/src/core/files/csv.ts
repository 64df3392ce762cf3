// Comma-separated values by RFC 4180. What `formatCsv` writes, `parseCsv` reads.

/** A spreadsheet would run it as a formula, so an apostrophe is written before it, and removed again. */
const FORMULA = /^'*[=+\-@\t\r]/;
const PROTECTED_FORMULA = /^'+[=+\-@\t\r]/;

export function formatCsv(titles: readonly string[], rows: readonly (readonly (string | number | null)[])[]): string {
  const field = (value: string | number | null): string => {
    if (value === null) return "";
    if (typeof value === "number") return String(value);
    const text = FORMULA.test(value) ? `'${value}` : value;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [titles, ...rows].map((row) => row.map(field).join(",")).join("\n");
}

/** A quoted or a plain field, and what ends it. */
const FIELD = /(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r\n|\n|\r|$)/y;

/** Rows of fields, each with the number of its line. Blank lines are skipped. */
export function parseCsv(text: string): { line: number; fields: string[] }[] {
  const rows: { line: number; fields: string[] }[] = [];
  const content = text.replace(/^\uFEFF/, "");
  let fields: string[] = [];
  let [line, startLine] = [1, 1];
  let position = 0;
  for (;;) {
    FIELD.lastIndex = position;
    const [matched, quoted, plain = "", end = ""] = FIELD.exec(content) ?? [content.slice(position)];
    const value = quoted?.replaceAll('""', '"') ?? plain;
    fields.push(PROTECTED_FORMULA.test(value) ? value.slice(1) : value);
    position += matched.length;
    line += matched.split(/\r\n|\n|\r/).length - 1;
    if (end === ",") continue;
    if (fields.some((each) => each !== "")) rows.push({ line: startLine, fields });
    if (position >= content.length) return rows;
    fields = [];
    startLine = line;
  }
}
