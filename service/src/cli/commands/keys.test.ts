import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { readTokenId } from "#identity/api-key.ts";
import { runCommand } from "#testing/command.ts";
import { testDatabase } from "#testing/database.ts";

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
    expect((await runCommand(["keys", "revoke", id], environment)).stdout).toContain(`Revoked ${id}`);
    expect((await list())[0].revoked_at).toEqual(expect.any(String));
    expect((await runCommand(["keys", "revoke", "nothing"], environment)).code).toBe(1);
  });

  test("adopt accepts a key on standard input, or its hash", async () => {
    const adopt = (input: string): Promise<{ stdout: string; stderr: string; code: number }> => {
      const { promise, resolve } = Promise.withResolvers<{ stdout: string; stderr: string; code: number }>();
      const main = fileURLToPath(new URL("../../main.ts", import.meta.url));
      // biome-ignore lint/style/noProcessEnv: a child needs PATH and the like.
      const env = { ...process.env, ...environment };
      const child = execFile(process.execPath, [main, "keys", "adopt", ...owner], { env }, (error, stdout, stderr) =>
        resolve({ stdout, stderr, code: Number(error?.code ?? 0) }),
      );
      child.stdin?.end(input);
      return promise;
    };
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

  test.each([
    [["keys", "create", "--label", "x"]],
    [["keys", "create", "--label", " ", "--contact", "x"]],
    [["keys", "create", ...owner, "--expires", "soon"]],
    [["keys", "create", ...owner, "--expires", "2020-01-01"]],
    [["keys", "adopt", ...owner, "--sha256", "abc"]],
    [["keys", "adopt", ...owner]],
  ])("2: %j", async (args) => {
    expect((await runCommand(args, environment)).code).toBe(2);
  });
});
