import { writeFileSync } from "node:fs";
import { dumpSchema } from "./dump-schema.ts";
import { TEMPLATE, urlOf } from "./server.ts";
import { setup } from "./template-database.ts";

const dropTemplate = await setup();
writeFileSync(new URL("../schema.sql", import.meta.url), dumpSchema(urlOf(TEMPLATE)));
await dropTemplate();
