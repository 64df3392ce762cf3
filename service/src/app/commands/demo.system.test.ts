import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { startCommand } from "#testing/command.ts";
import { administer, dropDatabase, uniqueName, urlOf } from "#testing/server.ts";
import { whenDone } from "#testing/when-done.ts";

test("creates its database, serves it, and prints curl lines that work; a second start reuses it", async () => {
  const name = uniqueName();
  whenDone(() => administer((admin) => dropDatabase(admin, name)));
  for (const word of ["Created", "Using"]) {
    const demo = startCommand(["demo", "--port", "0"], { DATABASE_URL: urlOf(name) });
    await expect.poll(() => demo.output.stdout).toContain("Stop with Ctrl-C.");
    expect(demo.output.stderr).toContain(`${word} the database ${name}.`);
    expect(demo.output.stdout).toContain("Any X-API-KEY is accepted, also one of an old server: AUTH_MODE is open.");
    const lines = demo.output.stdout.split("\n").filter((line) => line.includes("curl"));
    const withKey = (line: string) => line.replace("curl -s", "curl -s -H 'X-API-KEY: of-an-old-server'");
    const answers = lines.map((line) => JSON.parse(execFileSync("bash", ["-c", withKey(line)], { encoding: "utf8" })));
    expect(answers).toEqual([
      { passports: [expect.any(Object)], pagination: expect.any(Object) },
      { passport: expect.objectContaining({ passport_id: 1 }) },
      { passport_credentials: expect.arrayContaining([expect.any(Object)]) },
    ]);
    demo.process.kill("SIGINT");
    expect((await demo.ended).code).toBe(0);
  }
});
