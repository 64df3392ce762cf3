/** Prints indented JSON. An object or array that fits into `width` stays on one line. */
export function printJson(value: unknown, width = 72, indent = ""): string {
  const line = oneLine(value);
  if (typeof value !== "object" || value === null || indent.length + line.length <= width) return line;
  const childIndent = `${indent}  `;
  const items = Array.isArray(value)
    ? value.map((item) => printJson(item, width, childIndent))
    : Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${printJson(item, width, childIndent)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return `${open}\n${items.map((item) => childIndent + item).join(",\n")}\n${indent}${close}`;
}

function oneLine(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(oneLine).join(", ")}]`;
  const fields = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${oneLine(item)}`);
  return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
}
