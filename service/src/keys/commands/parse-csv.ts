/** Parses CSV (RFC 4180): rows of fields, each with its line number. Blank lines are skipped. */
export function parseCsv(text: string): { line: number; fields: string[] }[] {
  const rows: { line: number; fields: string[] }[] = [];
  let fields: string[] = [];
  let field = "";
  let isQuoted = false;
  let line = 1;
  let startLine = 1;
  const endRow = (): void => {
    fields.push(field);
    if (fields.some((value) => value !== "")) rows.push({ line: startLine, fields });
    fields = [];
    field = "";
  };
  for (const [token] of text.replace(/^\uFEFF/, "").matchAll(/""|"|,|\r?\n|[^",\r\n]+|\r/g)) {
    const isBreak = token.endsWith("\n");
    if (isBreak) line += 1;
    if (isQuoted) {
      if (token === '"') isQuoted = false;
      else field += token === '""' ? '"' : token;
    } else if (token === '"') isQuoted = true;
    else if (token === ",") {
      fields.push(field);
      field = "";
    } else if (isBreak) {
      endRow();
      startLine = line;
    } else if (token !== '""') field += token;
  }
  endRow();
  return rows;
}
