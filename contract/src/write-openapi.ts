import { writeFileSync } from "node:fs";
import { openapiDocument, printOpenapi } from "./openapi.ts";
import { snapshotSchema } from "./snapshot.ts";

const write = (name: string, text: string) => writeFileSync(new URL(`../${name}`, import.meta.url), text);

write("openapi.json", printOpenapi(openapiDocument()));
write("snapshot.schema.json", printOpenapi(snapshotSchema()));
