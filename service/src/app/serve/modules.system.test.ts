import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { FEATURES } from "../../../../structure/features.ts";

/** All of the composition, and the thread that checks signatures. */
const LIST_MODULES = `
const { registerHooks } = await import("node:module");
const { readdirSync } = await import("node:fs");
const urls = [];
registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) });
for (const file of readdirSync(".")) if (!file.includes(".test.")) await import("./" + file);
await import("../../holders/serve/signature-thread.ts");
process.stdout.write(urls.join("\\n"));
process.exit();
`;

const cwd = fileURLToPath(new URL(".", import.meta.url));
const args = ["--input-type=module", "--eval", LIST_MODULES];
const urls = execFileSync(process.execPath, args, { cwd, encoding: "utf8" }).split("\n");
const ours = urls.filter((url) => url.includes("/service/src/"));

test("a server loads no schemas, which would double its modules", () => {
  expect(urls.length).toBeGreaterThan(200);
  expect(urls.filter((url) => url.includes("/typebox/"))).toEqual([]);
});

test("a server loads neither code that manages nor commands", () => {
  expect(ours.length).toBeGreaterThan(100);
  const managing = FEATURES.filter(({ side }) => side === "manage").map(({ name }) => name);
  const manages = new RegExp(`/service/src/(?:${managing.join("|")}|app/work|app/commands)/|/manage/|/commands/`);
  expect(ours.filter((url) => manages.test(url))).toEqual([]);
  expect("file:///service/src/people/facts/people.ts").toMatch(manages);
});

/** It writes by calling functions of the database: see grants.ts of the features. Names of rights, as in a check, do not count. */
const WRITES =
  /\b(insert\s+into|update\s+\S+\s+set|delete\s+from|truncate\s+\w|merge\s+into|for\s+(no\s+key\s+)?update|(create|alter|drop)\s+(temporary\s+|unlogged\s+)?(table|index|function)|copy\s+\S+.*from)\b/i;

test("a server loads no statement that writes a table", () => {
  const writing = ours.filter((url) => WRITES.test(readFileSync(fileURLToPath(url), "utf8")));
  expect(writing).toEqual([]);
  // The statements of managing code are found.
  const queue = new URL("../../decisions/ledger.ts", import.meta.url);
  expect(readFileSync(queue, "utf8")).toMatch(WRITES);
});
