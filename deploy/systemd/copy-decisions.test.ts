import { execFile } from "node:child_process";
import { existsSync, watch } from "node:fs";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { openHolderRequests } from "../../service/src/holders/serve/requests.ts";
import { startCommand } from "../../service/testing/command.ts";
import { testDatabase } from "../../service/testing/database.ts";
import { HOLDER_KEY, HOLDERS_ON, signRequest } from "../../service/testing/holders.ts";
import { importLines, OPT_OUT_KEY } from "../../service/testing/import-lines.ts";
import { person } from "../../service/testing/people.ts";
import { serveDatabase } from "../../service/testing/serving.ts";
import { solanaWallet } from "../../service/testing/wallets.ts";
import { whenDone } from "../../service/testing/when-done.ts";
import { onlyValueOf, readUnit } from "./unit-file.ts";

// The machine is lost 70 seconds after the last changes. What is left is a backup from before them,
// and the copy of the file of decisions on another mount.

const MOST_MS = 70_000;
const execute = promisify(execFile);
const UNITS = ["path", "timer", "service"].map((kind) => join(import.meta.dirname, `credence-decisions.${kind}`));
const [PATH_UNIT = "", , SERVICE_UNIT = ""] = UNITS;
const [KEPT, HIDES, ERASED] = [1, 2, 3] as const;

test("the units that copy the file are valid", async () => {
  const { stderr } = await execute("systemd-analyze", ["verify", "--man=no", ...UNITS]);
  expect(stderr).toBe("");
});

test("a hide, an erasure and a revoked key survive the loss of the machine", async () => {
  const folder = await mkdtemp(join(tmpdir(), "credence-drill-"));
  whenDone(() => rm(folder, { recursive: true }));
  const { url, database } = await testDatabase();
  const environment = {
    DATABASE_URL: url,
    OPT_OUT_KEY,
    HOLDER_KEY,
    HOLDER_REQUESTS: "on",
    PUBLIC_URL: `https://${HOLDERS_ON.domain}`,
  };
  const credence = async (args: string[], more: Record<string, string> = {}) => {
    const { code, stdout, stderr } = await startCommand(args, { ...environment, ...more }).ended;
    expect(code, stdout + stderr).toBe(0);
    return stdout;
  };
  const wallets = [KEPT, HIDES, ERASED].map((id) => solanaWallet(`drill ${id}`));
  const lines = wallets.map(({ address }, at) =>
    person(at + 1, { main_wallet: address, display_name: `Person ${at + 1}` }),
  );
  await importLines(database, lines);
  await credence(["standing", "refresh"]);
  const created = JSON.parse(
    await credence(["keys", "create", "--label", "drill", "--contact", "a@b.example", "--json"]),
  );
  const dump = join(folder, "credence.dump");
  await execute("pg_dump", ["--format=custom", `--file=${dump}`, url]);

  // A worker writes the file, and the units copy it.
  const file = join(folder, "lib/decisions.ndjson");
  const copy = join(folder, "mount/decisions.ndjson");
  for (const name of ["lib", "mount"]) await mkdir(join(folder, name));
  copyOnChange(file, join(folder, "mount/"));
  startCommand(["work"], { ...environment, DECISIONS_FILE: file });
  await expect.poll(() => existsSync(copy), { timeout: MOST_MS }).toBe(true);

  const [, hides] = wallets as [unknown, (typeof wallets)[number]];
  await openHolderRequests(database).enqueue(signRequest(hides, "hide"));
  await credence(["passport", "erase", String(ERASED), "--yes"]);
  await credence(["keys", "revoke", created.key_id, "--yes"]);
  const changedAt = performance.now();
  await expect
    .poll(async () => isComplete(await readFile(copy, "utf8"), created.key_id), { timeout: MOST_MS })
    .toBe(true);
  expect(performance.now() - changedAt).toBeLessThan(MOST_MS);

  const restored = await testDatabase("template template0 encoding 'UTF8'");
  await execute("pg_restore", [
    "--exit-on-error",
    "--single-transaction",
    "--no-owner",
    `--dbname=${restored.url}`,
    dump,
  ]);
  const before = await serveDatabase(restored.name);
  expect(await listShown(before.address)).toEqual([KEPT, HIDES, ERASED]);
  await credence(["decisions", "import", copy], { DATABASE_URL: restored.url });
  const { address } = await serveDatabase(restored.name);
  expect(await listShown(address)).toEqual([KEPT]);
  const withKey = await fetch(`${address}/api/v1/passports/${KEPT}`, { headers: { "x-api-key": created.token } });
  expect(withKey.status).toBe(401);
});

/** As systemd does: when the file of the path unit changes, the service runs. Only the two places differ. */
function copyOnChange(file: string, to: string): void {
  const watched = onlyValueOf(readUnit(PATH_UNIT), "PathChanged");
  const command = onlyValueOf(readUnit(SERVICE_UNIT), "ExecStart");
  expect(command).toContain(` ${watched} `);
  const [program = "", ...args] = command
    .replace(watched, file)
    .replace("$" + "{COPY_TO}", to)
    .split(" ");
  const watcher = watch(join(file, ".."), (_event, name) => {
    if (name === "decisions.ndjson") void execute(program, args);
  });
  whenDone(() => watcher.close());
}

/** Whether the copy has all decisions. */
function isComplete(text: string, keyId: string): boolean {
  const lines = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const decided = lines.map(({ action, passport_id, key_id }) => `${action} ${passport_id ?? key_id}`);
  return [`hide ${HIDES}`, `erased ${ERASED}`, `revoke key ${keyId}`].every((decision) => decided.includes(decision));
}

async function listShown(address: string): Promise<number[]> {
  const statuses = await Promise.all(
    [KEPT, HIDES, ERASED].map(async (id) => [id, (await fetch(`${address}/api/v1/passports/${id}`)).status] as const),
  );
  return statuses.filter(([, status]) => status === 200).map(([id]) => id);
}
