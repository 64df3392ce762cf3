import { generateKeyPairSync } from "node:crypto";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { savePeople } from "#people/write/save-people.ts";
import { runCommand } from "#testing/command.ts";
import { testDatabase } from "#testing/database.ts";
import { testFolder } from "#testing/folder.ts";
import { person } from "#testing/people.ts";

describe("credence publish, and export --for-mirrors", async () => {
  const { url, database } = await testDatabase();
  await savePeople(database, [person(1), person(2, {}, { operator: { hidden: true } })]);
  const place = testFolder();
  const at = (name: string): string => join(place, name);
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  writeFileSync(at("private.pem"), privateKey.export({ type: "pkcs8", format: "pem" }));
  writeFileSync(at("public.pem"), publicKey.export({ type: "spki", format: "pem" }));
  const credence = (args: string[], environment: Record<string, string> = {}) =>
    runCommand(args, { DATABASE_URL: url, ...environment });
  const publish = (...args: string[]) => credence(["publish", at("folder"), "--key", at("private.pem"), ...args]);

  test("0: writes a snapshot and signs it; then only signs", async () => {
    expect((await publish()).stdout).toMatch(/^Wrote 1 person\. .* is signed until /);
    expect((await publish()).stdout).toMatch(/^The snapshot \S+ stays\. .* is signed until /);
    const settings = { PUBLISH_FOLDER: at("folder"), PUBLISH_KEY: at("private.pem") };
    expect((await credence(["publish", "--json"], settings)).code).toBe(0);
    expect(readdirSync(at("folder"))).toHaveLength(2);
  });

  test.each([
    ["a missing key", ["publish", "./new"], {}, 2, "The private key (--key) is missing."],
    ["a public key", ["publish", "./new", "--key", at("public.pem")], {}, 4, "contains no private Ed25519 key"],
    [
      "readers without a name",
      ["publish", "./new", "--key", at("private.pem")],
      { AUTH_MODE: "required" },
      2,
      "AUTH_MODE is required",
    ],
    [
      "settings without a key",
      ["publish"],
      { PUBLISH_FOLDER: "./new" },
      2,
      "Publishing needs PUBLISH_FOLDER and PUBLISH_KEY",
    ],
    [
      "settings for readers without a name",
      ["status"],
      { AUTH_MODE: "required", PUBLISH_FOLDER: "a", PUBLISH_KEY: "b" },
      2,
      "set PUBLISH_TO_NAMED_READERS=on",
    ],
    ["--for-mirrors with --person", ["export", "--for-mirrors", "--person", "1"], {}, 2, "cannot be combined"],
  ])("%s is refused", async (_, args, environment, code, message) => {
    expect(await credence(args, environment)).toMatchObject({ code, stderr: expect.stringContaining(message) });
    expect(existsSync("./new")).toBe(false);
  });

  test("0: --to-named-readers publishes although V1 needs a key", async () => {
    const args = ["publish", at("named"), "--key", at("private.pem"), "--to-named-readers"];
    expect((await credence(args, { AUTH_MODE: "required" })).code).toBe(0);
  });

  test("0: after --end, doctor waits for no signature", async () => {
    const findPublication = async (): Promise<string> =>
      JSON.parse((await credence(["doctor", "--json"])).stdout).checks.find(
        ({ name }: { name: string }) => name === "publication",
      ).finding;
    expect(await findPublication()).toContain("were signed");
    expect((await credence(["publish", "--end"])).stdout).toContain("publishes no more. Delete the folder");
    expect(await findPublication()).toBe("nothing is published for mirrors");
  });

  test("4: an import refuses the snapshot, as it is no backup", async () => {
    expect((await credence(["export", at("out"), "--for-mirrors", "--sign", at("private.pem")])).code).toBe(0);
    const { code, stderr } = await credence(["import", at("out"), "--public-key", at("public.pem")]);
    expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining("`credence mirror`") });
    const [lines] = readdirSync(at("out")).filter((name) => name.startsWith("people"));
    const { code: second } = await credence(["import", at("out"), "--opt-outs-only"]);
    expect([second, lines]).toEqual([4, "people-00001.ndjson.zst"]);
  });
});
