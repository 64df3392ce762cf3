import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Person } from "@credence/contract/person.ts";
import { expect, test } from "vitest";
import { inventPopulation } from "../service/src/demo/invent/population.ts";
import { testDatabase } from "../service/testing/database.ts";
import { findFreePorts } from "../service/testing/free-ports.ts";
import { oldDatabase } from "../service/testing/old-database.ts";
import { startShell } from "../service/testing/shell.ts";
import { whenDone } from "../service/testing/when-done.ts";

const page = readFileSync(new URL("TAKE-OVER.md", import.meta.url), "utf8");
const commands = [...page.matchAll(/```sh\n(.*?)```/gs)].map(([, block = ""]) => block.trim()).join("\n");
const [, correction = ""] = /```sh correct\n(.*?)```/s.exec(page) ?? [];
const QUERIES = new URL("../deploy/take-over/", import.meta.url);
const OLD_SERVER = new URL("../service/testing/start-old-server.ts", import.meta.url).pathname;
const BASE = "https://old.example/api/v1";

test("docs/TAKE-OVER.md: all commands, run in order, lead from an old server to a served copy", async () => {
  const people = [...inventPopulation(3, 12)].filter(({ passport }) => !passport.merged);
  const [first, second, third] = people;
  if (first === undefined || second === undefined || third === undefined) throw new Error("too few people");
  const folder = await mkdtemp(join(tmpdir(), "credence-test-"));
  whenDone(() => rm(folder, { recursive: true }));
  const { url, database } = await testDatabase();
  const oldUrl = await oldDatabase(people, cacheOf(second));
  const [port = 0] = await findFreePorts(1);
  await mkdir(join(folder, "responses"), { mode: 0o700 });
  const write = (file: string, text: string) => writeFile(join(folder, file), text, { mode: 0o600 });
  for (const file of ["people.sql", "cached.sql"]) await write(file, await readFile(new URL(file, QUERIES), "utf8"));
  await write("old-server.key", "a-key-of-the-old-server\n");
  await write("old-keys.csv", "token,label,contact\nan-old-token,Old app,dev@example.org\n");
  await write(`responses/passport-${third.passport.passport_id}.json`, JSON.stringify({ passport: third.passport }));
  await write(
    `responses/credentials-${third.passport.passport_id}.json`,
    JSON.stringify({ passport_credentials: third.credentials }),
  );
  await write("access.log", accessLog(people.map(({ passport }) => passport.passport_id)));
  await write("traffic.har", JSON.stringify({ log: { entries: harEntries(first) } }));
  const adapted = commands.replaceAll("https://old.example", '"$OLD"').replaceAll("--contact", "--rate 1000 --contact");
  const script = adapted
    .replaceAll("--level spec", "--level spec --rate 200")
    .replaceAll("--requests", "--rate 200 --requests")
    .replaceAll("localhost:8080", `localhost:${port}`)
    // This command runs until it is stopped.
    .replace(
      /^.*credence serve$/m,
      (line) => `${line} > serve.log &\nuntil grep -q serving serve.log; do sleep 0.1; done`,
    );
  expect(script).toContain("credence serve > serve.log");
  // Without the options for nulls, some people are rejected. The correction of the page includes them.
  const live = adapted.split("\n").find((line) => line.includes("collect") && line.includes("./snapshot")) ?? "";
  const rejecting = live.replace(/--null-\S+ \S+ /g, "");
  expect(rejecting).not.toBe(live);
  const correct = `{ ${rejecting}; } && exit 1 || test $? = 3\n${correction}mv snapshot uncorrected`;
  const start = `node ${OLD_SERVER} 60 > old.log &\nuntil grep -q http old.log; do sleep 0.1; done\nOLD=$(cat old.log)`;
  const { code, output } = await startShell(
    `trap 'kill $(jobs -p)' EXIT\numask 077\n${start}\n${correct}\n${script}`,
    folder,
    {
      ...{ OLD_DATABASE_URL: oldUrl, DATABASE_URL: url, PORT: String(port), PRIVATE_PORT: "0", HOST: "localhost" },
      ...{ RATE_LIMIT_ANONYMOUS: "0", RATE_LIMIT_KEYS: "0" },
    },
  ).ended;
  expect(code, output).toBe(0);
  expect(output).toContain(`Wrote ${people.length} people`);
  expect(output).toContain("Wrote 3 people");
  expect(output).toContain("responses are kept in");
  const snapshot = JSON.parse(await readFile(join(folder, "snapshot/manifest.json"), "utf8"));
  const corrected = JSON.parse(await readFile(join(folder, "corrected/manifest.json"), "utf8"));
  const fields = ["passport.activity_score", "passport.verified_wallets", "passport.passport_profile.tags"];
  expect(Object.keys(snapshot.collected.replaced)).toEqual(expect.arrayContaining(fields));
  expect(corrected).toMatchObject({ people: snapshot.people, collected: { replaced: snapshot.collected.replaced } });
  expect(output).toContain("Adopted 1 key");
  const accepted = "but those that you accept (html-errors, null-parts, null-lists).";
  expect(output.split(`No difference in form, and no unexplained difference in data, ${accepted}`)).toHaveLength(3);
  const { rows } = await database.query("select count(*)::int as people from person");
  expect(rows[0].people).toBeGreaterThan(55);
  for (const file of await readdir(folder, { recursive: true })) {
    expect((await stat(join(folder, file))).mode & 0o077, file).toBe(0);
  }
});

/** Combined format. */
const accessLog = (ids: readonly number[]): string =>
  [
    ...["/api/v1", "/api/v2"].flatMap((prefix) => [
      ...ids.flatMap((id) => [`${prefix}/passports/${id}`, `${prefix}/passport_credentials?passport_id=${id}`]),
      ...[`${prefix}/passports?page=2`, `${prefix}/passports?page=0`, `${prefix}/passports/999999`],
    ]),
    "/favicon.ico",
  ]
    .map((path) => `192.0.2.1 - - [01/Jan/2026:00:00:00 +0000] "GET ${path} HTTP/1.1" 200 1 "-" "app"\n`)
    .join("");

/** The two responses of a person. */
const responsesOf = ({ passport, credentials }: Person): [url: string, body: string][] => [
  [`${BASE}/passports/${passport.passport_id}`, JSON.stringify({ passport })],
  [
    `${BASE}/passport_credentials?passport_id=${passport.passport_id}`,
    JSON.stringify({ passport_credentials: credentials }),
  ],
];

/** The credentials were asked for by wallet. */
const cacheOf = (person: Person) =>
  responsesOf(person).map(([url, body]) => ({
    url: url.replace(/passport_id=\d+$/, `passport_id=${person.passport.main_wallet}`),
    ...{ status: 200, fetched_at: "2026-01-01", body },
  }));

function harEntries(person: Person) {
  const entry = (url: string, content: object) => ({
    startedDateTime: "2026-01-01T00:00:00.000+01:00",
    request: { url },
    response: { status: 200, content },
  });
  const [passport, credentials] = responsesOf(person) as [[string, string], [string, string]];
  return [
    entry("https://old.example/style.css", { text: "body {}" }),
    entry(passport[0], { text: passport[1] }),
    entry(credentials[0], { text: Buffer.from(credentials[1]).toString("base64"), encoding: "base64" }),
  ];
}
