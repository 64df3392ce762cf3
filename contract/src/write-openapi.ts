import { writeFileSync } from "node:fs";
import { openapiDocument, printOpenapi } from "./openapi.ts";

writeFileSync(new URL("../openapi.json", import.meta.url), printOpenapi(openapiDocument()));
