import { createHash, generateKeyPairSync } from "node:crypto";
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Command } from "commander";
import { expect } from "vitest";
import { buildProgram } from "#cli.ts";
import { exportDecisions } from "#decisions/keep-file.ts";
import { inventDemoPeople } from "#demo/invent/population.ts";
import { issueKey } from "#keys/manage/issue-key.ts";
import { refreshStanding } from "#list/manage/refresh-standing.ts";
import { savePeople } from "#people/write/save-people.ts";
import { runCommand } from "./command.ts";
import { testDatabase } from "./database.ts";
import { testFolder } from "./folder.ts";
import { administer, dropDatabase, SERVE_ROLE, uniqueName, urlOf } from "./server.ts";
import { serveDatabase } from "./serving.ts";
import { testTerminal } from "./terminal.ts";
import { whenDone } from "./when-done.ts";

export type Example = { command: string; example: string };

/** Every command with the examples of its help. */
export async function listExamples(): Promise<Example[]> {
  return examplesOf(await buildProgram(testTerminal()), []);
}

function examplesOf(command: Command, path: readonly string[]): Example[] {
  let help = "";
  command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
  const shown = [...help.matchAll(/^ {2}\$ (.+?)(?: {2,}.*)?$/gm)].map(([, example = ""]) => example);
  return [
    ...shown.map((example) => ({ command: path.join(" "), example })),
    ...command.commands.flatMap((child) => examplesOf(child, [...path, child.name()])),
  ];
}

/** The examples without repetitions, with or without those that need a shell or run until a signal. */
export async function listLines(isSystem: boolean): Promise<string[]> {
  const lines = new Set((await listExamples()).map(({ example }) => example));
  return [...lines].filter((line) => /[|<>()]|^psql|credence (serve|demo)\b/.test(line) === isSystem);
}

const EXAMPLE_KEY = "0123456789abcdef0123456789abcdef";

const owner = { label: "test", contact: "test", expiresAt: null };

/** A database with what the examples refer to. `prepare` returns an example with the names of the test. */
export async function prepareExamples() {
  const role = uniqueName();
  const demo = uniqueName();
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
      `insert into holder_request (code_hash, passport_ids, wish, address, message, signature, nonce, state)
       select sha256(id::text::bytea), array[id], 'hide',
         coalesce((select address from person_wallet where passport_id = id limit 1), 'none'), 'a', 'a', id::text, 'review'
       from (select $1::bigint as id) as input`,
      [passportId],
    );
  }
  const { port } = new URL((await serveDatabase(name)).address);
  const portOf = (example: string): string => (example.startsWith("credence health") ? port : "0");
  const served = urlOf(name, SERVE_ROLE);

  return {
    database,
    async prepare(example: string) {
      const folder = testFolder();
      await writeFile(join(folder, "old-key.txt"), "an-old-key\n");
      await writeFile(join(folder, "old-keys.csv"), "token,label,contact\na-key-of-many,Old app,dev@example.org\n");
      if (/import (\.\/snapshot|people)/.test(example)) await generatePeople(folder);
      if (example.includes("decisions give-up")) {
        await database.query(
          `with erased as (
             insert into decision (action, decided_by, passport_id) values ('erased', 'operator', 9000001) returning decision_id
           )
           insert into decision_wallet (hash, decision_id, key) select sha256('example'), decision_id, '5f3a9c0e1b2d4f68' from erased`,
        );
      }
      if (example.includes("private.pem")) {
        const { privateKey } = generateKeyPairSync("ed25519");
        await writeFile(join(folder, "private.pem"), privateKey.export({ type: "pkcs8", format: "pem" }));
      }
      if (example.includes("--env-file")) await writeFile(join(folder, "credence.env"), "LOG_LEVEL=warn\n");
      if (example.includes("decisions import"))
        await exportDecisions(database, join(folder, "decisions.ndjson"), [EXAMPLE_KEY]);
      if (example.startsWith("credence collect")) await saveResponses(folder, example.includes("--since"));
      const { keyId } = await issueKey(database, owner);
      const line = example
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
      const environment = {
        DATABASE_URL: url,
        PORT: portOf(example),
        PRIVATE_PORT: "0",
        DRAIN_DELAY: "0s",
        OPT_OUT_KEY: EXAMPLE_KEY,
      };
      return { folder, line, environment };
    },
  };
}

async function run(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCommand(args);
  expect(code, stderr).toBe(0);
  return stdout;
}

async function generatePeople(folder: string): Promise<void> {
  await run("generate", "--people", "20", "--out", join(folder, "snapshot"));
  await copyFile(join(folder, "snapshot/people-00001.ndjson.zst"), join(folder, "people.ndjson.zst"));
}

async function saveResponses(folder: string, withSnapshot: boolean): Promise<void> {
  await mkdir(join(folder, "responses"));
  await writeFile(join(folder, "responses/people.ndjson"), await run("generate", "--people", "20"));
  if (withSnapshot) await run("collect", "--from-files", join(folder, "responses"), "--out", join(folder, "snapshot"));
}
