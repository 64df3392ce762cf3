import { writeFileSync } from "node:fs";
import { printDocument } from "./answer-bytes.ts";
import { openapiDocument } from "./openapi.ts";
import { snapshotSchema } from "./snapshot.ts";

const write = (name: string, text: string) => writeFileSync(new URL(`../${name}`, import.meta.url), text);

write("openapi.json", printDocument(openapiDocument()));
write("snapshot.schema.json", printDocument(snapshotSchema()));
