import { createHash, randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { describe, expect, test } from "vitest";
import { buildProgram } from "#cli/program.ts";
import { inventDemoPeople } from "#invent/demo.ts";
import { issueKey } from "#operations/access/issue-key.ts";
import { refreshStanding } from "#operations/standing/refresh-standing.ts";
import { savePeople } from "#operations/write/save-people.ts";
import { testDatabase } from "#testing/database.ts";
import { administer, dropDatabase, SERVE_ROLE, urlOf } from "#testing/server.ts";
import { serveDatabase } from "#testing/serving.ts";
import { startShell, stopShell } from "#testing/shell.ts";
import { whenDone } from "#testing/when-done.ts";

/** Every command with the examples of its help. */
function listExamples(command: Command, path: string[] = []): { command: string; example: string }[] {
  let help = "";
  command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
  const shown = [...help.matchAll(/^ {2}\$ (.+?)(?: {2,}.*)?$/gm)].map(([, example = ""]) => example);
  return [
    ...shown.map((example) => ({ command: path.join(" "), example })),
    ...command.commands.flatMap((child) => listExamples(child, [...path, child.name()])),
  ];
}

const SERVING = /"serving"|Credence is serving/;

describe("every example of --help works", async () => {
  const role = `credence_test_${randomUUID().slice(0, 8)}`;
  const demo = `credence_test_${randomUUID().replaceAll("-", "")}`;
  // Clean-ups run in reverse order: the role is dropped after the database that refers to it.
  whenDone(() =>
    administer(async (admin) => {
      await dropDatabase(admin, demo);
      await admin.query(`drop role if exists ${role}`);
    }),
  );
  const { url, database, name } = await testDatabase();
  await savePeople(database, inventDemoPeople());
  await refreshStanding(database);
  const owner = { label: "test", contact: "test", expiresAt: null };
  const { keyId: rehearsedKeyId } = await issueKey(database, owner);
  // The SHA-256 of the unknown key in an example.
  const seen = createHash("sha256").update("foo").digest("hex");
  await database.query(
    "insert into usage_mark (day, kind, value, requests, last_at) values (now(), 'unknown key', $1, 1, now())",
    [seen],
  );
  // The requests 1 to 3 of examples.
  for (const passportId of [1, 2, 3]) {
    await database.query(
      `insert into holder_request (code_hash, passport_id, action, address, message, signature, nonce, state)
       select sha256(id::text::bytea), id, 'hide',
         coalesce((select address from passport_wallet where passport_id = id limit 1), 'none'), 'a', 'a', id::text, 'review'
       from (select $1::bigint as id) as input`,
      [passportId],
    );
  }
  const { port } = new URL((await serveDatabase(name)).address);
  const portOf = (example: string): string => (example.startsWith("credence health") ? port : "0");
  const served = new URL(url);
  served.username = SERVE_ROLE;

  /** Replaces the names in an example by those of the test. */
  const real = (example: string, keyId: string): string =>
    example
      .replace(/DATABASE_URL=\S+try_credence/, `DATABASE_URL=${urlOf(demo)}`)
      .replace(/DATABASE_URL=postgres:\S+/, (match) => (match.includes(demo) ? match : `DATABASE_URL=${served}`))
      .replace(/^credence demo$/, `DATABASE_URL=${urlOf(demo)} credence demo`)
      .replace(/--port \d+/, `--port ${portOf(example)}`)
      .replaceAll("credence_serve", role)
      .replace("4fTz81Qm0a", keyId)
      .replace("7kQv20Rb5e", rehearsedKeyId)
      .replace("9f86d081884c7d65…", createHash("sha256").update("another old key").digest("hex"))
      .replace("collect https://old.example", `collect http://127.0.0.1:${port} --rate 1000`)
      .replace("https://api.example.org", `http://127.0.0.1:${port}`)
      .replace(/jq '.*'$/, "cat");

  const program = await buildProgram();
  const examples = listExamples(program);

  test("every command has an example", () => {
    const commands = new Set(examples.map(({ command }) => command));
    expect(commands.size).toBe(countCommands(program));
  });

  test.each(examples)("$example", async ({ example }) => {
    const folder = await mkdtemp(join(tmpdir(), "credence-test-"));
    whenDone(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, "old-key.txt"), "an-old-key\n");
    await writeFile(join(folder, "old-keys.csv"), "token,label,contact\na-key-of-many,Old app,dev@example.org\n");
    const environment = {
      DATABASE_URL: url,
      PORT: portOf(example),
      PRIVATE_PORT: "0",
      DRAIN_DELAY: "0s",
      OPT_OUT_KEY: "0123456789abcdef0123456789abcdef",
    };
    if (/import (\.\/snapshot|people)/.test(example)) {
      const prepare =
        "credence generate --people 20 --out snapshot; cp snapshot/people-00001.ndjson.zst people.ndjson.zst";
      expect((await startShell(prepare, folder, environment).ended).code).toBe(0);
    }
    if (example.startsWith("credence collect")) {
      const since = example.includes("--since") ? "credence collect --from-files responses --out snapshot" : "true";
      const prepare = `mkdir responses; credence generate --people 20 > responses/people.ndjson; ${since}`;
      expect((await startShell(prepare, folder, environment).ended).code).toBe(0);
    }
    const { keyId } = await issueKey(database, { label: "test", contact: "test", expiresAt: null });
    // Standard input is closed, and output goes to a pipe: no prompt can be answered.
    const shell = startShell(`exec <&-\n${real(example, keyId)}`, folder, environment);
    if (/credence (serve|demo)\b/.test(example)) {
      await expect.poll(shell.output).toMatch(SERVING);
      stopShell(shell.process);
      await shell.ended;
      return;
    }
    const { code, output } = await shell.ended;
    expect(code, output).toBe(0);
  });
});

const countCommands = (command: Command): number =>
  1 + command.commands.reduce((sum, child) => sum + countCommands(child), 0);
