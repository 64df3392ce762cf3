/** JSON for people: an object or array stays on one line if it fits, else each item gets its own. */
export function printJson(value: unknown, width = 72, indent = ""): string {
  const line = oneLine(value);
  if (typeof value !== "object" || value === null || indent.length + line.length <= width) return line;
  const deeper = `${indent}  `;
  const items = Array.isArray(value)
    ? value.map((item) => printJson(item, width, deeper))
    : Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${printJson(item, width, deeper)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return `${open}\n${items.map((item) => deeper + item).join(",\n")}\n${indent}${close}`;
}

function oneLine(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(oneLine).join(", ")}]`;
  const fields = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${oneLine(item)}`);
  return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
}
