import { generateKeyPairSync } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { Connection } from "#core/database/database.ts";
import { runCommand } from "#testing/command.ts";
import { testDatabase } from "#testing/database.ts";
import { testFolder } from "#testing/folder.ts";
import { OPT_OUT_KEY } from "#testing/import-lines.ts";
import { person, wallet } from "#testing/people.ts";

// One server exports again and again, another one imports. What travels, and what does not.

const folder = testFolder();
const at = (name: string): string => join(folder, name);
const pair = generateKeyPairSync("ed25519");
writeFileSync(at("private.pem"), pair.privateKey.export({ type: "pkcs8", format: "pem" }));
writeFileSync(at("public.pem"), pair.publicKey.export({ type: "spki", format: "pem" }));

async function openServer(name: string, optOutKey: string | undefined) {
  const { database, url } = await testDatabase();
  const environment = { DATABASE_URL: url, PUBLIC_URL: `https://${name}.test`, OPT_OUT_KEY: optOutKey };
  const credence = (...args: string[]) => runCommand(args, environment);
  return { database, credence };
}

/** Everything that V1 shows. */
async function stateOf(database: Connection) {
  const { rows: documents } = await database.query(
    `select passport_id, passport_document.etag, credential_document.etag as credentials
     from passport_document join credential_document using (passport_id) order by 1`,
  );
  const { rows: owners } = await database.query("select address, passport_id from wallet_owner order by 1");
  return { documents, owners };
}

const W = wallet(7);
const PEOPLE = [
  person(1, { main_wallet: wallet(1) }),
  person(2, { main_wallet: wallet(2), verified_wallets: [wallet(22)] }),
  person(3, { main_wallet: W }),
  person(4, { main_wallet: wallet(4), verified_wallets: [W] }),
  person(5, { main_wallet: W, verified_wallets: [wallet(55)] }),
];
const write = (name: string, people: readonly unknown[]): string => {
  writeFileSync(at(name), people.map((line) => JSON.stringify(line)).join("\n"));
  return at(name);
};

describe("exports of one server, imported by another", async () => {
  const publisher = await openServer("publisher", OPT_OUT_KEY);
  const copy = await openServer("copy", "another key that nobody could ever guess");
  const late = await openServer("late", undefined);
  await publisher.credence("import", write("people.ndjson", PEOPLE));

  let exports = 0;
  const exportNext = async (): Promise<string> => {
    exports += 1;
    const name = at(`export-${exports}`);
    expect(await publisher.credence("export", name, "--sign", at("private.pem"))).toMatchObject({ code: 0 });
    return name;
  };
  const importTo = (server: typeof copy, name: string, ...options: string[]) =>
    server.credence("import", name, "--public-key", at("public.pem"), ...options);
  const travel = async () => {
    const imported = await importTo(copy, await exportNext());
    expect(imported.code).toBe(0);
    return imported;
  };
  const expectEqual = async () => expect(await stateOf(copy.database)).toEqual(await stateOf(publisher.database));

  test("a hide travels, and an unhide does not", async () => {
    await travel();
    await expectEqual();
    await publisher.credence("passport", "hide", "1", "--yes");
    await travel();
    await expectEqual();
    await publisher.credence("passport", "unhide", "1", "--yes");
    const before = await stateOf(copy.database);
    await travel();
    expect(await stateOf(copy.database)).toEqual(before);
    await copy.credence("passport", "unhide", "1", "--yes");
    await expectEqual();
  });

  test("who is erased because of a shared wallet is erased by the import too, and stays out", async () => {
    await publisher.credence("passport", "erase", "3", "--yes");
    const { stdout, stderr } = await travel();
    expect(stdout + stderr).toContain("Erased because of opt-outs: 2 people, passports 3, 5");
    await expectEqual();
    const { rows } = await copy.database.query("select * from wallet_owner where address = $1", [W]);
    expect(rows).toEqual([]);
    await importTo(late, at(`export-${exports}`));
    expect(await stateOf(late.database)).toEqual(await stateOf(publisher.database));
  });
});

test("4: a changed file of opt-outs is refused before anything is written", async () => {
  const name = "opt-out";
  const publisher = await openServer(`changed-${name}`, OPT_OUT_KEY);
  await publisher.credence("import", write("three.ndjson", PEOPLE));
  await publisher.credence("passport", "erase", "3", "--yes");
  await publisher.credence("export", at(name));
  const file = join(at(name), `${name}.ndjson.zst`);
  const lines = zstdDecompressSync(readFileSync(file)).toString().split("\n");
  // As valid as before, without its first line.
  writeFileSync(file, zstdCompressSync(lines.slice(1).join("\n")));
  const other = await openServer("other", OPT_OUT_KEY);
  await other.credence("import", write("three.ndjson", PEOPLE));
  const before = await stateOf(other.database);
  const { code, stderr } = await other.credence("import", at(name));
  expect(code, stderr).toBe(4);
  expect(stderr).toContain(`${name}.ndjson.zst`);
  expect(await stateOf(other.database)).toEqual(before);
  const { rows } = await other.database.query("select 1 from opt_out");
  expect(rows).toEqual([]);
});
