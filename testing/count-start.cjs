// Loaded first by every process of Node that a test starts, if `npm run test:slow` counts them.
const { appendFileSync } = require("node:fs");

// biome-ignore lint/style/noProcessEnv: set by count-file.ts.
const { CREDENCE_TEST_EVENTS, CREDENCE_TEST_FILE } = process.env;
if (CREDENCE_TEST_EVENTS) appendFileSync(CREDENCE_TEST_EVENTS, `process ${CREDENCE_TEST_FILE}\n`);
