import { readFile, writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { VERSION } from "#core/config/version.ts";

const DOCUMENT = fileURLToPath(new URL("../../docs/RELIABILITY.md", import.meta.url));

/** Writes the figures of a proof into docs/RELIABILITY.md, between its markers. */
export async function writeFigures(proof: string, figures: string): Promise<void> {
  const [begin, end] = [`<!-- ${proof}:begin -->`, `<!-- ${proof}:end -->`];
  const text = await readFile(DOCUMENT, "utf8");
  const [before, rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`${DOCUMENT} has no markers for ${proof}.`);
  await writeFile(DOCUMENT, `${before}${begin}\n\n${figures}\n${end}${after}`);
}

/** When and with what the figures were measured. */
export function printOrigin(): string {
  const date = new Date().toISOString().slice(0, 10);
  return `${date}, Credence ${VERSION}, Node ${process.version}, ${cpus().length} cores (${cpus()[0]?.model}).`;
}
