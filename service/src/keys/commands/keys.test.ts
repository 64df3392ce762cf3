import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readTokenId } from "#core/identity/api-key.ts";
import { runCommand } from "#testing/command.ts";
import { testDatabase } from "#testing/database.ts";
import { testFolder } from "#testing/folder.ts";

describe("credence keys", async () => {
  const { url } = await testDatabase();
  const environment = { DATABASE_URL: url };
  const owner = ["--label", "A dashboard", "--contact", "ada@example.org"];
  const list = async () => JSON.parse((await runCommand(["keys", "list", "--json"], environment)).stdout);

  test("create prints only the key on stdout; list does not show it; revoke revokes it", async () => {
    expect((await runCommand(["keys", "list"], environment)).stdout).toBe("No keys.\n");
    const created = await runCommand(["keys", "create", ...owner, "--expires", "2999-12-31"], environment);
    expect(created.code).toBe(0);
    const token = created.stdout.trim();
    const id = readTokenId(token) as string;
    expect(created.stdout).toBe(`${token}\n`);
    expect(created.stderr).toContain(id);
    expect(created.stderr).not.toContain(token);
    const shown = (await runCommand(["keys", "list"], environment)).stdout;
    expect(shown).toBe(`${id}  until 2999-12-31    A dashboard (ada@example.org)\n`);
    expect(JSON.stringify(await list())).not.toContain(token.slice(14, 40));
    // It asks, and shows who would notice.
    expect((await runCommand(["keys", "revoke", id], environment)).code).toBe(2);
    const dry = await runCommand(["keys", "revoke", id, "--dry-run"], environment);
    expect(dry.stdout).toMatch(/0 requests in the last 30 days\. Nothing was changed\./);
    expect((await runCommand(["keys", "revoke", id, "--yes"], environment)).stdout).toContain(`Revoked ${id}`);
    expect((await list())[0].revoked_at).toEqual(expect.any(String));
    expect((await runCommand(["keys", "revoke", "nothing", "--yes"], environment)).code).toBe(1);
  });

  test("rotate issues a key like the old one, which expires after the overlap", async () => {
    const { stdout } = await runCommand(["keys", "create", ...owner, "--limit", "500"], environment);
    const oldId = readTokenId(stdout.trim()) as string;
    const rotated = await runCommand(["keys", "rotate", oldId, "--overlap", "12h"], environment);
    const newId = readTokenId(rotated.stdout.trim()) as string;
    expect(newId).not.toBe(oldId);
    expect(rotated.stderr).not.toContain(rotated.stdout.trim());
    const keys: { key_id: string; expires_at: string | null }[] = await list();
    const find = (id: string) => keys.find((key) => key.key_id === id);
    const expected = { label: "A dashboard", contact: "ada@example.org", points_limit: 500 };
    expect(find(newId)).toMatchObject({ ...expected, expires_at: null });
    expect(find(oldId)).toMatchObject({ ...expected, expires_at: expect.any(String) });
    const shown = (await runCommand(["keys", "list"], environment)).stdout;
    expect(shown).toMatch(new RegExp(`^${oldId}  until .*, limit 500, expires in less than a day$`, "m"));
    // The overlap never makes an expiry later.
    await runCommand(["keys", "rotate", oldId], environment);
    expect((await list()).find((key: { key_id: string }) => key.key_id === oldId)).toEqual(find(oldId));
    await runCommand(["keys", "revoke", oldId, "--yes"], environment);
    expect((await runCommand(["keys", "rotate", oldId], environment)).code).toBe(1);
    expect((await runCommand(["keys", "rotate", "nothing"], environment)).code).toBe(1);
  });

  test("limit sets the limit of a key, or the default", async () => {
    const created = await runCommand(["keys", "create", ...owner], environment);
    const id = readTokenId(created.stdout.trim()) as string;
    const limit = (...args: string[]) => runCommand(["keys", "limit", ...args], environment);
    const stored = async () => (await list()).find((key: { key_id: string }) => key.key_id === id).points_limit;
    expect(await stored()).toBe(null);
    expect((await limit(id, "1200")).stdout).toContain("a limit of 1,200 points per 10 seconds");
    expect(await stored()).toBe(1_200);
    expect((await limit(id, "default")).stdout).toContain("the default limit");
    expect(await stored()).toBe(null);
    expect((await limit("nothing", "5")).code).toBe(1);
    for (const points of ["0", "-1", "many", "2147483648"]) expect((await limit(id, points)).code).toBe(2);
  });

  test("adopt accepts a key on standard input, or its hash", async () => {
    const adopt = (input: string) => runCommand(["keys", "adopt", ...owner], environment, input);
    expect(await adopt("old-token\n")).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Adopted as \w{10}\. It works on every node within 10 seconds\.\n$/),
    });
    expect(await adopt("old-token")).toMatchObject({ code: 1, stderr: expect.stringContaining("stored already") });
    expect(await adopt("")).toMatchObject({ code: 2 });
    const hash = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
    expect((await runCommand(["keys", "adopt", ...owner, "--sha256", hash], environment)).code).toBe(0);
    expect((await list()).filter((key: { adopted: boolean }) => key.adopted)).toHaveLength(2);
  });

  test("adopt --file adopts a table of keys, all or none, and shows no key", async () => {
    const folder = testFolder();
    const adopt = (csv: string, ...options: string[]) => {
      writeFileSync(join(folder, "keys.csv"), csv);
      return runCommand(["keys", "adopt", "--file", join(folder, "keys.csv"), ...options], environment);
    };
    const hash = createHash("sha256").update("secret-three").digest("hex");
    const table = `Token,sha256,label,contact\r\nsecret-one,,"App, one",a@example.org\r\n,${hash},Three,c@example.org\r\n`;
    const adopted = await adopt(table, "--limit", "700", "--json");
    expect(adopted.code, adopted.stderr).toBe(0);
    expect(JSON.parse(adopted.stdout)).toMatchObject({ adopted: 2, known_already: 0 });
    const ids = JSON.parse(adopted.stdout).keys.map(({ key_id }: { key_id: string }) => key_id);
    const stored = (await list()).filter(({ key_id }: { key_id: string }) => ids.includes(key_id));
    expect(stored.sort((a: { label: string }, b: { label: string }) => (a.label < b.label ? -1 : 1))).toMatchObject([
      { label: "App, one", contact: "a@example.org", adopted: true, points_limit: 700 },
      { label: "Three", contact: "c@example.org", adopted: true, points_limit: 700 },
    ]);
    expect((await adopt(table)).stdout).toContain("Adopted 0 keys; 2 stored already.");
    const before = (await list()).length;
    const bad =
      "token,label,contact\nsecret-four,Four,d@example.org\nsecret five,Five,e\n,Six,f\nsecret-7,,g\nsecret-8,x\n";
    const refused = await adopt(bad);
    expect(refused.code).toBe(2);
    for (const line of ["line 3: the token has spaces", "line 4: needs either", "line 5: the label", "line 6: has 2"]) {
      expect(refused.stderr).toContain(line);
    }
    expect(refused.stderr).not.toContain("secret");
    expect((await adopt("key,label\nsecret-nine,x\n")).stderr).toContain("must name the columns");
    expect((await adopt("token,label,contact\n")).stderr).toContain("contains no keys");
    expect((await list()).length).toBe(before);
    expect((await adopt(table, "--seen", "2c26b46b68ff")).code).toBe(2);
  });

  test.each([
    [["keys", "create", "--label", "x"]],
    [["keys", "adopt", "--label", "x"]],
    [["keys", "create", "--label", " ", "--contact", "x"]],
    [["keys", "create", ...owner, "--expires", "soon"]],
    [["keys", "create", ...owner, "--expires", "2020-01-01"]],
    [["keys", "create", ...owner, "--limit", "0"]],
    [["keys", "rotate", "id", "--overlap", "soon"]],
    [["keys", "adopt", ...owner, "--sha256", "abc"]],
    [["keys", "adopt", ...owner]],
  ])("2: %j", async (args) => {
    expect((await runCommand(args, environment)).code).toBe(2);
  });
});
