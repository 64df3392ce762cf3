import { readFileSync, statSync, utimesSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { administer, dropDatabase, uniqueName, urlOf } from "../service/testing/server.ts";
import { startShell } from "../service/testing/shell.ts";
import { whenDone } from "../service/testing/when-done.ts";
import { patternOf } from "./printed-output.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const SOURCE = `${root}service/src/main.ts`;
const SERVING = /^ {2}V1 +(http:\S+)/gm;

test("npm run dev serves demo data as README.md prints it, and restarts when a source file changes", async () => {
  const name = uniqueName();
  whenDone(() => administer((admin) => dropDatabase(admin, name)));
  const dev = startShell("npm run --silent dev -- --port 0", root, { DATABASE_URL: urlOf(name) });
  const listAddresses = () => [...dev.output().matchAll(SERVING)].map(([, address = ""]) => address);
  const getStatus = async (address: string) => (await fetch(`${address}?per_page=1`)).status;

  await expect.poll(() => dev.output()).toContain("Stop with Ctrl-C.");
  const [first = ""] = listAddresses();
  expect(await getStatus(first)).toBe(200);
  const readme = readFileSync(`${root}README.md`, "utf8");
  const [, printed = ""] = /```text\n(.*?)```/s.exec(readme) ?? [];
  const expected = printed.replace("credence_demo", name).replaceAll(":8080", "…");
  expect(dev.output()).toMatch(new RegExp(patternOf(expected, ":?\\d+")));

  // Writing the times that a file already has is a change for the watcher, and leaves the file as
  // it is.
  const { atime, mtime } = statSync(SOURCE);
  utimesSync(SOURCE, atime, mtime);
  await expect.poll(() => listAddresses().length).toBeGreaterThan(1);
  const second = listAddresses().at(-1) ?? "";
  expect(await getStatus(second)).toBe(200);
  expect(dev.output()).toContain("Using the database");
});
