import { readFileSync, writeFileSync } from "node:fs";
import { withFloorTable } from "./architecture.ts";
import { linterRules } from "./rules.ts";

const at = (path: string): URL => new URL(`../${path}`, import.meta.url);

writeFileSync(at("structure/biome.floors.json"), linterRules());
writeFileSync(at("ARCHITECTURE.md"), withFloorTable(readFileSync(at("ARCHITECTURE.md"), "utf8")));
