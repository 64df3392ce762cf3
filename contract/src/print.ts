/** Prints a JSON document as it is committed and served. */
export function printDocument(document: unknown): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
