import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PassportList } from "@credence/contract/answers.ts";
import { expect, test } from "vitest";
import { inventPopulation } from "#demo/invent/population.ts";
import { runCommand, startServing } from "#testing/command.ts";
import { testDatabase } from "#testing/database.ts";
import { OPT_OUT_KEY } from "#testing/import-lines.ts";
import { credential, person } from "#testing/people.ts";
import { startShell } from "#testing/shell.ts";
import { whenDone } from "#testing/when-done.ts";

const NAME = "Quixanthe Übervoll";
const EVM = "0xfeedfacefeedfacefeedfacefeedfacefeedface";
const SOLANA = "4Nd1mYzzUnEraserTestWa11etzQzQzQzQzQzQzQzQzQ";
/** Texts that must not remain anywhere, folded names included. */
const TRACES = [NAME, "quixanthe", "ubervoll", EVM, SOLANA, "Quixanthe's gem", "quixanthe.example"];
const ID = 7_777;

test("an erased person is absent from every response, table, dump, log and file, also after another import", async () => {
  const folder = await mkdtemp(join(tmpdir(), "credence-test-"));
  whenDone(() => rm(folder, { recursive: true }));
  const { url, database } = await testDatabase();
  const environment = { DATABASE_URL: url, OPT_OUT_KEY };
  const run = async (...args: string[]) => {
    const ended = await runCommand(args, environment);
    expect([0, 3], ended.stderr).toContain(ended.code);
    return ended;
  };

  const unique = (score: number) =>
    person(
      ID,
      { display_name: NAME, main_wallet: EVM, verified_wallets: [EVM, SOLANA], score },
      { credentials: [credential("gem", { name: "Quixanthe's gem", score, value: "quixanthe.example" })] },
    );
  const others = [...inventPopulation(21, 60)];
  const friend = person(7_778, { verified_wallets: [SOLANA] });
  const snapshot = (name: string, people: unknown[]) =>
    writeFile(join(folder, name), people.map((line) => `${JSON.stringify(line)}\n`).join(""));
  await snapshot("first.ndjson", [...others, unique(4), friend]);
  // Another score, so that there is a history; and malformed lines of her, which are refused.
  const broken = { ...unique(9), credentials: "none" };
  const quoted = { ...unique(9), passport: { ...unique(9).passport, passport_id: String(ID), main_wallet: null } };
  const renamed = { ...broken, passport: { ...broken.passport, passport_id: 7_779 } };
  const herLines = [unique(9), broken, quoted, renamed];
  await snapshot("second.ndjson", [...others, ...herLines, friend, { passport: { passport_id: "x" } }]);

  const rejects = (name: string) => ["--rejects", join(folder, name)];
  await run("import", join(folder, "first.ndjson"));
  await run("import", join(folder, "second.ndjson"), ...rejects("before.ndjson"));
  const server = await startServing({ ...environment, LOG_LEVEL: "trace" });
  const status = async (path: string) => (await fetch(`${server.address}/api/v1/${path}`)).status;
  const list = async (query: string) =>
    (await (await fetch(`${server.address}/api/v1/passports?${query}`)).json()) as PassportList;
  const dump = async () => (await startShell(`pg_dump '${url}'`, folder, {}).ended).output;
  const statistics = async () =>
    (
      await database.query(
        "select coalesce(string_agg(pg_stats::text, ' '), '') as all from pg_stats where schemaname = 'public'",
      )
    ).rows[0].all;
  const tracesIn = (text: string) => TRACES.filter((trace) => text.toLowerCase().includes(trace.toLowerCase()));

  // First, she is found in every place that is searched below.
  expect(await status(`passports/${ID}`)).toBe(200);
  expect(await status(`passports/${SOLANA}`)).toBe(200);
  expect((await list("keyword=quixanthe")).pagination.total).toBe(1);
  expect(tracesIn(await dump())).toEqual(TRACES);
  await database.query("analyze");
  expect(tracesIn(await statistics())).not.toEqual([]);

  await run("passport", "erase", EVM, "--yes");
  const expectGone = async () => {
    for (const reference of [ID, EVM, SOLANA, EVM.toUpperCase().replace("0X", "0x")]) {
      const gone = await fetch(`${server.address}/api/v1/passports/${reference}`);
      const unknown = await fetch(`${server.address}/api/v1/passports/999999`);
      expect(gone.status).toBe(404);
      expect(await gone.text()).toBe(await unknown.text());
      const credentials = await fetch(`${server.address}/api/v1/passport_credentials?passport_id=${reference}`);
      expect(await credentials.json()).toEqual({ passport_credentials: [] });
    }
    for (const keyword of ["quixanthe", "ÜBERVOLL", NAME]) {
      expect((await list(`keyword=${encodeURIComponent(keyword)}`)).pagination.total).toBe(0);
    }
    for (let page = 1; page <= 4; page += 1) {
      const { passports } = await list(`page=${page}&per_page=20`);
      expect(tracesIn(JSON.stringify(passports))).toEqual([]);
    }
    expect(tracesIn(await dump())).toEqual([]);
    expect(tracesIn(await statistics())).toEqual([]);
  };
  await expectGone();

  // The same snapshot again, then an export.
  const { stdout } = await run("import", join(folder, "second.ndjson"), "--json", ...rejects("after.ndjson"));
  expect(JSON.parse(stdout)).toMatchObject({ erased: 1, refused: 4, wallets_removed: 1 });
  await run("work", "--until-done");
  await expectGone();
  await run("export", join(folder, "exported"));
  const files = ["after.ndjson", ...(await readdir(join(folder, "exported"))).map((name) => join("exported", name))];
  for (const file of files) expect(tracesIn(await readFile(join(folder, file), "latin1")), file).toEqual([]);
  expect(tracesIn(server.output.stdout + server.output.stderr)).toEqual([]);

  // The decision and hashes remain.
  const { rows } = await database.query(
    "select action, passport_id, count(hash) as wallets from decision left join decision_wallet using (decision_id) group by 1, 2",
  );
  expect(rows).toEqual([{ action: "erased", passport_id: ID, wallets: 2 }]);
});
