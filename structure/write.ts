import { readFileSync, writeFileSync } from "node:fs";
import { withTables } from "./architecture.ts";
import { drawFeatures } from "./picture.ts";
import { linterRules } from "./rules.ts";

const urlOf = (path: string): URL => new URL(`../${path}`, import.meta.url);

writeFileSync(urlOf("structure/biome.features.json"), linterRules());
writeFileSync(urlOf("docs/pictures/features.svg"), drawFeatures());
writeFileSync(urlOf("ARCHITECTURE.md"), withTables(readFileSync(urlOf("ARCHITECTURE.md"), "utf8")));
