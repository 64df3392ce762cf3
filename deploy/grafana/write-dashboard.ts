import { writeFileSync } from "node:fs";
import { dashboard } from "./dashboard.ts";

// Run by `npm run dashboard`.

writeFileSync(new URL("credence.json", import.meta.url), `${JSON.stringify(dashboard, null, 2)}\n`);
