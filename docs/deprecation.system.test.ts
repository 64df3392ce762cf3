import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { issueKey } from "../service/src/keys/manage/issue-key.ts";
import { refreshStanding } from "../service/src/list/manage/refresh-standing.ts";
import { testDatabase } from "../service/testing/database.ts";
import { createClock } from "../service/testing/fake-clock.ts";
import { testFolder } from "../service/testing/folder.ts";
import { findFreePorts } from "../service/testing/free-ports.ts";
import { startShell } from "../service/testing/shell.ts";

const page = readFileSync(new URL("DEPRECATION.md", import.meta.url), "utf8");

/** The sections with a date, each with its time and its commands. */
const sections = page.split(/^## /m).flatMap((section) => {
  const [, day, time = "00:00"] = /^(\d+ \w+ \d{4})(?:, (\d\d:\d\d) UTC)?: /.exec(section) ?? [];
  const commands = [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, block = ""]) => block.trim());
  return day === undefined ? [] : [{ time: new Date(`${day} ${time} UTC`), commands }];
});

test("docs/DEPRECATION.md: all commands work at the dates of their sections", async () => {
  const { url, database } = await testDatabase();
  await refreshStanding(database);
  await issueKey(database, { label: "Dashboard", contact: "ada@example.org", expiresAt: null });
  const [port = 0] = await findFreePorts(1);
  const folder = testFolder();
  const clock = join(folder, "clock");
  expect(sections).toHaveLength(6);

  // The script sets the clock of its commands, and of the server, at the start of each section.
  const script = sections
    .flatMap(({ time, commands }) => [
      `echo '${time.toISOString().slice(0, 19).replace("T", " ")}' > new && mv new clock && echo && echo "--- ${time.toISOString()}"`,
      ...commands,
    ])
    .join("\n")
    .replaceAll("localhost:8080", `localhost:${port}`)
    .replace(/^credence serve$/m, "credence serve > serve.log &\nuntil grep -q serving serve.log; do sleep 0.1; done");
  expect(script).toContain("credence serve >");
  const { environment } = createClock(clock);
  // Not in the environment of the shell: its subshells would remove what libfaketime shares.
  const settings = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  mkdirSync(join(folder, "bin"));
  for (const name of ["credence", "curl"]) {
    const wrapper = `#!/bin/sh\nPATH="\${PATH#*:}" exec env ${settings.join(" ")} ${name} "$@"\n`;
    writeFileSync(join(folder, "bin", name), wrapper, { mode: 0o755 });
  }
  const commands = ['export PATH="$PWD/bin:$PATH"', "trap 'kill $(jobs -p)' EXIT", script].join("\n");
  const { code, output } = await startShell(commands, folder, {
    DATABASE_URL: url,
    HOST: "localhost",
    PORT: String(port),
    PRIVATE_PORT: "0",
  }).ended;
  expect(code, output).toBe(0);
  const [, plan, announced, rehearsal, first, last, end] = output.split(/^--- .*\n/m);
  expect(plan).toMatch(/^brownout +2027-06-23T15:00:00Z +2027-06-25T15:00:00Z +48 hours$/m);
  expect(announced).toContain("sunset: Wed, 30 Jun 2027 00:00:00 GMT");
  expect(announced).toMatch(/Dashboard .*ada@example\.org/);
  expect(rehearsal).toMatch(/gets 410 with the code brownout for 1 hour, until 2027-03-15T01:00:00Z/);
  expect(first).toContain("The state of V1 is brownout: ");
  expect(first?.toLowerCase()).toMatch(/http\/1\.1 410 gone\s+cache-control: no-store\s+retry-after: 300/);
  expect(first).toContain('"ready":true');
  expect(last).toContain("the state of V1 is brownout");
  expect(end?.toLowerCase()).toContain("http/1.1 410 gone");
  expect(end).toContain("<h1>V1 has ended</h1>");
});
