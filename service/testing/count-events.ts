import { appendFileSync } from "node:fs";

/** Something slow that a test file does: it creates a database, or starts a process of Node. */
export type TestEvent = "database" | "process";

/** Counts an event for `npm run test:slow`, which sets the variables. */
export function countEvent(event: TestEvent): void {
  // biome-ignore lint/style/noProcessEnv: set by testing/slow.ts and by the set-up of each test file.
  const { CREDENCE_TEST_EVENTS, CREDENCE_TEST_FILE } = process.env;
  if (CREDENCE_TEST_EVENTS) appendFileSync(CREDENCE_TEST_EVENTS, `${event} ${CREDENCE_TEST_FILE ?? ""}\n`);
}
