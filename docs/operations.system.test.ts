import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findFreePorts } from "../service/testing/free-ports.ts";
import { startShell } from "../service/testing/shell.ts";
import { whenDone } from "../service/testing/when-done.ts";
import { readOperations } from "./operations-page.ts";

test("docs/reference/by-hand.md and docs/OPERATING.md: all commands, run in order, give a running service and a restored backup", async () => {
  const { blocksOf, drop } = readOperations();
  const folder = await mkdtemp(join(tmpdir(), "credence-test-"));
  whenDone(async () => {
    await rm(folder, { recursive: true });
    await drop();
  });
  const [port] = await findFreePorts(1);
  const script = blocksOf()
    .join("\n")
    .replaceAll("localhost:8080", `localhost:${port}`)
    // This command runs until it is stopped.
    .replace(
      /^.*credence serve$/m,
      (line) => `${line} > serve.log &\nuntil grep -q serving serve.log; do sleep 0.1; done`,
    );
  expect(script).toContain("credence serve");
  const { code, output } = await startShell(`trap 'kill $(jobs -p)' EXIT\n${script}`, folder, {
    PORT: String(port),
    PRIVATE_PORT: "0",
    HOST: "localhost",
  }).ended;
  expect(code, output).toBe(0);
  expect(output).toMatch(/added +1,000/);
  expect(output).toMatch(/unchanged +999/);
  // Only the owner can read keys, dumps, exports and personal data.
  const written = await readdir(folder, { recursive: true });
  expect(written).toEqual(
    expect.arrayContaining([
      "opt-out-key",
      "holder-key",
      "key.txt",
      "person.json",
      "credence.dump",
      "decisions.ndjson",
      join("out", "manifest.json"),
    ]),
  );
  for (const name of written.filter((name) => name !== "serve.log")) {
    expect((await stat(join(folder, name))).mode & 0o077, name).toBe(0);
  }
});
