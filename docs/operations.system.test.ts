import { readFileSync } from "node:fs";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { administer, dropDatabase, uniqueName, urlOf } from "../service/testing/server.ts";
import { startShell } from "../service/testing/shell.ts";
import { whenDone } from "../service/testing/when-done.ts";

const page = readFileSync(new URL("OPERATIONS.md", import.meta.url), "utf8");
const blocks = [...page.matchAll(/```sh\n(.*?)```/gs)].map(([, block = ""]) => block.trim());

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test("docs/OPERATIONS.md: all commands, run in order, give a running service and a restored backup", async () => {
  const name = uniqueName();
  const names = {
    credence_v1: name,
    credence_owner: `${name}_owner`,
    credence_serve: `${name}_serve`,
  };
  const folder = await mkdtemp(join(tmpdir(), "credence-test-"));
  whenDone(async () => {
    await rm(folder, { recursive: true });
    await administer(async (admin) => {
      await dropDatabase(admin, names.credence_v1);
      for (const role of [names.credence_owner, names.credence_serve]) await admin.query(`drop role if exists ${role}`);
    });
  });
  const port = await findFreePort();
  const { host } = new URL(urlOf("postgres"));

  let script = blocks.join("\n");
  for (const [name, replacement] of Object.entries(names)) script = script.replaceAll(name, replacement);
  script = script
    .replaceAll("localhost:5432", host)
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
    expect.arrayContaining(["opt-out-key", "person.json", "credence.dump", join("out", "manifest.json")]),
  );
  for (const name of written.filter((name) => name !== "serve.log")) {
    expect((await stat(join(folder, name))).mode & 0o077, name).toBe(0);
  }
});
