import { expect, test } from "vitest";
import { testDatabase } from "#testing/database.ts";
import { whenDone } from "#testing/when-done.ts";
import { MAX_POOL_SIZES, openReader } from "./open-reader.ts";

test("statements of a server cannot write, and are not compiled; look-ups use indexes", async () => {
  const { url } = await testDatabase();
  const reader = openReader({
    program: "test",
    url,
    statementTimeoutMs: 2_000,
    maxWaitMs: 3_500,
    sizes: MAX_POOL_SIZES,
    onIdleError: () => {},
  });
  whenDone(reader.end);
  for (const [name, pool] of Object.entries(reader.pools)) {
    const { rows } = await pool.query(
      "select current_setting('jit') as jit, current_setting('transaction_read_only') as read_only, current_setting('enable_seqscan') as seqscan",
    );
    expect(rows, name).toEqual([{ jit: "off", read_only: "on", seqscan: name === "look-ups" ? "off" : "on" }]);
  }
});
