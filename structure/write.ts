import { readFileSync, writeFileSync } from "node:fs";
import { withFloorTable } from "./architecture.ts";
import { linterRules } from "./rules.ts";

const urlOf = (path: string): URL => new URL(`../${path}`, import.meta.url);

writeFileSync(urlOf("structure/biome.floors.json"), linterRules());
writeFileSync(urlOf("ARCHITECTURE.md"), withFloorTable(readFileSync(urlOf("ARCHITECTURE.md"), "utf8")));
