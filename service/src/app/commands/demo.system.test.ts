import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
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
    expect(demo.output.stdout).toContain("To accept keys of an old server: AUTH_MODE=open credence demo");
    const lines = demo.output.stdout.split("\n").filter((line) => line.includes("curl"));
    const answers = lines.map((line) => JSON.parse(execFileSync("bash", ["-c", line], { encoding: "utf8" })));
    expect(answers).toEqual([
      { passports: [expect.any(Object)], pagination: expect.any(Object) },
      { passport: expect.objectContaining({ passport_id: 1 }) },
      { passport_credentials: expect.arrayContaining([expect.any(Object)]) },
    ]);
    const [, address = ""] = /Explorer +(\S+)\/$/m.exec(demo.output.stdout) ?? [];
    if (word === "Created") {
      // The first command of its README, with the demo of README.md.
      const [, command = ""] =
        /^npx (credence-conformance \S+)$/m.exec(readFileSync("conformance/README.md", "utf8")) ?? [];
      expect(command).toBe("credence-conformance http://localhost:8080");
      const kit = execFileSync(process.execPath, ["conformance/bin/credence-conformance.js", address], {
        encoding: "utf8",
      });
      expect(kit).toMatch(/ 0 failed, .* The server conforms\.\n$/);
    }
    demo.process.kill("SIGINT");
    expect((await demo.ended).code).toBe(0);
  }
});
