import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import type { SinglePassport } from "@credence/contract/answers.ts";
import { expect, test } from "vitest";
import { openDatabase } from "#core/database/database.ts";
import type { Check } from "#core/terminal/check.ts";
import { DEMO_HOLDER_ID } from "#demo/demo-holder.ts";
import { runCommand, startCommand } from "#testing/command.ts";
import { erase } from "#testing/decide.ts";
import { post } from "#testing/holder-client.ts";
import { administer, dropDatabase, uniqueName, urlOf } from "#testing/server.ts";
import { whenDone } from "#testing/when-done.ts";

test("creates its database, serves it, and prints curl lines that work; a second start begins anew", async () => {
  const name = uniqueName();
  whenDone(() => administer((admin) => dropDatabase(admin, name)));
  for (const word of ["Created", "Using"]) {
    const demo = startCommand(["demo", "--port", "0"], { DATABASE_URL: urlOf(name), PRIVATE_PORT: "0" });
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
    const statusOf = async (id: number) => (await fetch(`${address}/api/v1/passports/${id}`)).status;
    // What holders asked for in the first run is forgotten.
    for (const id of [DEMO_HOLDER_ID, 30]) expect(await statusOf(id)).toBe(200);
    // Beside it, all is well, but for the settings of this PostgreSQL.
    const [, nodes = ""] = /^ {2}NODES=(\S+) credence status$/m.exec(demo.output.stdout) ?? [];
    const ask = async (command: string) => {
      const { code, stdout } = await runCommand([command, "--json"], { NODES: nodes, DATABASE_URL: urlOf(name) });
      return { code, ...(JSON.parse(stdout) as { checks?: Check[]; complaints?: Check[] }) };
    };
    const isFault = ({ name: check, state }: Check) => state !== "ok" && check !== "database";
    const [status, doctor] = [await ask("status"), await ask("doctor")];
    expect([status.code, status.complaints?.filter(isFault)]).toEqual([0, []]);
    expect([doctor.code, doctor.checks?.filter(isFault)]).toEqual([0, []]);
    if (word === "Created") {
      // The first command of its README, with the demo of README.md.
      const [, command = ""] =
        /^node_modules\/\.bin\/(credence-conformance \S+)$/m.exec(readFileSync("conformance/README.md", "utf8")) ?? [];
      expect(command).toBe("credence-conformance http://localhost:8080");
      const kit = execFileSync(process.execPath, ["conformance/bin/credence-conformance.js", address], {
        encoding: "utf8",
      });
      expect(kit).toMatch(/ 0 failed, .* The server conforms\.\n$/);
      await hideAndErase(address, urlOf(name));
      for (const id of [DEMO_HOLDER_ID, 30]) await expect.poll(() => statusOf(id)).toBe(404);
    }
    demo.process.kill("SIGINT");
    expect((await demo.ended).code).toBe(0);
  }
});

/** A request to hide that the demo signs, and an erasure under another key. */
async function hideAndErase(address: string, url: string): Promise<void> {
  const found = await fetch(`${address}/api/v1/passports/${DEMO_HOLDER_ID}`);
  const { passport } = (await found.json()) as SinglePassport;
  const query = new URLSearchParams({
    passport: `${DEMO_HOLDER_ID}`,
    wallet: passport.main_wallet ?? "",
    want: "hide",
  });
  const asked = await fetch(`${address}/holder?${query}`, { headers: { accept: "application/json" } });
  const { message } = (await asked.json()) as { message: string };
  expect((await post(`${address}/holder/demo-signature`, { message })).status).toBe(202);
  const database = openDatabase({ url, name: "test", maxConnections: 1, statementTimeoutMs: 0 });
  await erase(database, [30]);
  await database.end();
}
