// Loaded first by every process of Node that a test starts, if `npm run test:slow` counts them.
const { appendFileSync, existsSync } = require("node:fs");
const { dirname } = require("node:path");

// biome-ignore lint/style/noProcessEnv: set by count-file.ts.
const { CREDENCE_TEST_EVENTS, CREDENCE_TEST_FILE } = process.env;
// In a root of its own, a process sees no such folder.
if (CREDENCE_TEST_EVENTS && existsSync(dirname(CREDENCE_TEST_EVENTS)))
  appendFileSync(CREDENCE_TEST_EVENTS, `process ${CREDENCE_TEST_FILE}\n`);
