import { readFileSync } from "node:fs";
import { FLOORS, pathOf } from "./floors.ts";

const BEGIN = "<!-- The table is written by `npm run structure`. -->\n";
const END = "<!-- End of the table. -->\n";

/**
 * The floor plan as a table, the highest floor first. What belongs into a folder is read from its
 * README.md.
 */
function floorTable(): string {
  const rows = FLOORS.toReversed().map(([folder, mayImport, packages]) => {
    const imports = [mayImport.replaceAll(" ", ", "), packages === "" ? "" : `(${packages.replaceAll(" ", ", ")})`];
    return `| \`${pathOf(folder)}/\` | ${readPurpose(pathOf(folder)).join(" ")} | ${imports.filter(Boolean).join(" ") || "–"} |\n`;
  });
  return `| Folder | What belongs there | May import (packages) |\n|---|---|---|\n${rows.join("")}`;
}

/** Two lines: what belongs into a folder, and what does not. */
export function readPurpose(path: string): string[] {
  const readme = readFileSync(new URL(`../${path}/README.md`, import.meta.url), "utf8");
  return readme.trimEnd().split("\n");
}

/** The text of ARCHITECTURE.md with the table in its place. */
export function withFloorTable(text: string): string {
  const [start, end] = [text.indexOf(BEGIN) + BEGIN.length, text.indexOf(END)];
  return `${text.slice(0, start)}\n${floorTable()}\n${text.slice(end)}`;
}
