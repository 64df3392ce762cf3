import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { openDatabase } from "#core/database/database.ts";
import { issueKey } from "#keys/manage/issue-key.ts";
import { testDatabase } from "#testing/database.ts";
import { SERVE_ROLE, urlOf } from "#testing/server.ts";
import { whenDone } from "#testing/when-done.ts";
import { recordUsage, type UsageBatch, type UsageCount, type UsageMark } from "./record-usage.ts";

const DAY_MS = 86_400_000;
const dayAt = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

describe("record_usage, as the serving role", async () => {
  const { database, name } = await testDatabase();
  const settings = { default_transaction_read_only: "on" };
  const serve = openDatabase({
    ...{ url: urlOf(name, SERVE_ROLE), name: "test", maxConnections: 1, statementTimeoutMs: 0, settings },
  });
  whenDone(() => serve.end());
  const { keyId } = await issueKey(database, { label: "x", contact: "x", expiresAt: null });
  const today = dayAt(0);
  const count = (changes: Partial<UsageCount> = {}): UsageCount => ({
    ...{ day: today, client: keyId, endpoint: "/api/v1/passports", status: "2xx", requests: 1 },
    last_at: new Date().toISOString(),
    ...changes,
  });
  const mark = (changes: Partial<UsageMark> = {}): UsageMark => ({
    ...{ day: today, kind: "origin", value: "https://a.example", requests: 1 },
    ...changes,
  });
  const batch = (changes: Partial<UsageBatch> = {}): UsageBatch => ({
    ...{ node: randomUUID(), sequence: 1, counts: [], marks: [] },
    ...changes,
  });
  const listCounts = async () =>
    (await database.query("select client, status, requests from usage_count order by requests")).rows;
  const clear = () => database.query("truncate usage_count, usage_mark, usage_batch");

  test("adds counts, and ignores a repeated batch", async () => {
    await clear();
    const first = batch({ counts: [count({ requests: 5 }), count({ requests: 2 }), count({ client: "anonymous" })] });
    expect(await recordUsage(serve, first)).toBe(8);
    expect(await recordUsage(serve, first)).toBeNull();
    expect(await recordUsage(serve, { ...first, sequence: 2 })).toBe(8);
    expect(await recordUsage(serve, first)).toBeNull();
    expect(await listCounts()).toEqual([
      { client: "anonymous", status: "2xx", requests: 2 },
      { client: keyId, status: "2xx", requests: 14 },
    ]);
  });

  test("ignores rows of other days and of unknown clients", async () => {
    await clear();
    const counts = [-3, -2, 0, 1, 2].map((days) => count({ day: dayAt(days), requests: 10 ** (days + 3) }));
    expect(await recordUsage(serve, batch({ counts }))).toBe(10 + 1_000 + 10_000);
    expect(await recordUsage(serve, batch({ counts: [count({ client: "somebody" })] }))).toBe(0);
    expect(await recordUsage(serve, batch({ counts: [count({ requests: 0 }), count({ requests: -5 })] }))).toBe(0);
  });

  test("never stores a later time than now", async () => {
    await clear();
    await recordUsage(serve, batch({ counts: [count({ last_at: "2999-01-01T00:00:00Z" })] }));
    const { rows } = await database.query("select last_at <= now() as valid from usage_count");
    expect(rows).toEqual([{ valid: true }]);
  });

  test("keeps the 500 most frequent values of a kind and day", async () => {
    await clear();
    const marks = Array.from({ length: 600 }, (_, index) =>
      mark({ value: `https://${index}.example`, requests: 1 + index }),
    );
    await recordUsage(serve, batch({ marks }));
    const { rows } = await database.query("select count(*), min(requests) from usage_mark");
    expect(rows).toEqual([{ count: 500, min: 101 }]);
  });

  test.each<[string, unknown]>([
    ["null", null],
    ["a text", "x"],
    ["an array", []],
    ["no counts", { node: randomUUID(), sequence: 1, marks: [] }],
    ["no node", { ...batch(), node: null }],
    ["a node that is no UUID", { ...batch(), node: "x'; drop table passport; --" }],
    ["a negative sequence", { ...batch(), sequence: -1 }],
    ["a sequence beyond the safe integers", { ...batch(), sequence: 1e300 }],
    ["counts that are no objects", { ...batch(), counts: [1, "x", null] }],
    ["another endpoint", batch({ counts: [{ ...count(), endpoint: "/x" as "/api/v1/passports" }] })],
    ["another status", batch({ counts: [{ ...count(), status: "999" as "2xx" }] })],
    ["a count that is no number", { ...batch(), counts: [{ ...count(), requests: "many" }] }],
    ["a count that overflows", { ...batch(), counts: [{ ...count(), requests: 1e40 }] }],
    ["a day that is none", { ...batch(), counts: [{ ...count(), day: "2027-02-30" }] }],
    ["too many counts", batch({ counts: Array.from({ length: 10_001 }, () => count()) })],
    ["too many marks", batch({ marks: Array.from({ length: 10_001 }, () => mark()) })],
    ["too many bytes", { ...batch(), filler: "x".repeat(9_000_000) }],
    ["another kind", batch({ marks: [mark({ kind: "address" as "origin" })] })],
    ["a long value", batch({ marks: [mark({ value: "x".repeat(129) })] })],
    ["an empty value", batch({ marks: [mark({ value: "" })] })],
    ["a control character", batch({ marks: [mark({ value: "a\u001b[31m" })] })],
    ["a character outside ASCII", batch({ marks: [mark({ value: "caf\u00e9" })] })],
    ["an API key", batch({ marks: [mark({ value: `crd_${"a".repeat(48)}` })] })],
    ["a parameter with blanks", batch({ marks: [mark({ kind: "parameter", value: "a b" })] })],
    ["an unknown key that is no hash", batch({ marks: [mark({ kind: "unknown key", value: "old-key" })] })],
  ])("refuses %s, and stores nothing", async (_name, hostile) => {
    await clear();
    // On a machine that stalls, the response may come too late: asked again.
    const refuse = () =>
      recordUsage(serve, hostile as UsageBatch).then(
        () => "stored",
        (error) => String(error.code ?? "no response"),
      );
    await expect.poll(refuse).toMatch(/^2[23]/);
    expect(await listCounts()).toEqual([]);
    expect((await database.query("select from usage_mark")).rowCount).toBe(0);
  });

  test("a count that is full stays full", async () => {
    await clear();
    const full = count({ requests: Number.MAX_SAFE_INTEGER });
    for (const sequence of [1, 2]) await recordUsage(serve, batch({ sequence, counts: [full, full] }));
    expect(await listCounts()).toMatchObject([{ requests: Number.MAX_SAFE_INTEGER }]);
  });

  test("the role can neither read nor change usage, and cannot write without the function", async () => {
    for (const table of ["usage_count", "usage_mark", "usage_batch", "lock_usage"]) {
      for (const statement of [`select from ${table}`, `delete from ${table}`, `lock table ${table} in share mode`]) {
        await expect(serve.query(`begin read write; ${statement}`), statement).rejects.toMatchObject({ code: "42501" });
        await serve.query("rollback");
      }
    }
    // A table of the same name in a schema of the role is not used.
    const { rows } = await database.query("select prosecdef, proconfig from pg_proc where proname = 'record_usage'");
    expect(rows).toEqual([{ prosecdef: true, proconfig: ["search_path=pg_catalog, pg_temp"] }]);
    await expect(serve.query("select record_usage('{}')")).rejects.toThrow();
  });
});
