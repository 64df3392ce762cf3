import { writeFileSync } from "node:fs";
import { printTypes } from "./print-types.ts";

writeFileSync(new URL("../src/v1.ts", import.meta.url), printTypes());
