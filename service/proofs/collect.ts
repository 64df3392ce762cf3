import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { inventPopulation } from "#demo/invent/population.ts";
import { checkRate, oldServer } from "#testing/old-server.ts";
import { readSnapshotPeople } from "#testing/read-snapshot.ts";
import { startCredence, waitFor, withProofFolder } from "./harness.ts";

const NO_DATABASE = { DATABASE_URL: "" };
const RATE = 1_000;
const KEY = "old-key-0123456789";

/**
 * Collects from an old server whose people change meanwhile and whose responses fail, and kills the
 * process again and again. Everybody who was there all the time is in the snapshot exactly once, in
 * a state that was true at some moment, and the rate was never exceeded.
 */
export function proveCollect(people: number, kills = 20) {
  return withProofFolder(async (folder) => {
    const troubles = { refused: 0.005, failed: 0.01, reset: 0.002, slow: 0.01, changed: 0.05, replaced: 0.001 };
    const population = [...inventPopulation(5, people)].filter(({ passport }) => !passport.merged);
    const server = await oldServer(population, troubles, { extra: true });
    const out = join(folder, "out");
    const keyFile = join(folder, "key");
    await writeFile(keyFile, KEY);
    const options = ["--key-file", keyFile, "--rate", String(RATE), "--unknown-fields", "drop", "--json"];
    const args = ["collect", server.address, "--basis", "a proof", "--out", out, ...options];
    const started = performance.now();
    let output = "";
    let peakMiB = 0;
    try {
      const killed: number[] = [];
      // The last two fall into the time when the snapshot is written.
      const requests = 2 * population.length;
      for (let kill = 0; kill < kills && !existsSync(join(out, "manifest.json")); kill += 1) {
        const threshold = ((kill + Math.random()) / (kills - 2)) * requests;
        const isTime = () => (kill < kills - 2 ? server.requests() >= threshold : existsSync(`${out}.state/report`));
        const run = startCredence(args, NO_DATABASE);
        let hasEnded = false;
        void run.ended.then(() => (hasEnded = true));
        await waitFor("the time to kill the collection", () => isTime() || hasEnded);
        await setTimeout(Math.random() * 30);
        run.process.kill("SIGKILL");
        const ended = await run.ended;
        output += ended.stdout + ended.stderr;
        killed.push(server.requests());
        await checkFiles(folder);
      }
      const run = await startCredence(args, NO_DATABASE).ended;
      output += run.stdout + run.stderr;
      peakMiB = run.peakMiB;
      assert.ok(run.code === 0, run.stderr);
      const seconds = (performance.now() - started) / 1_000;
      assert.ok(!output.includes(KEY));
      await checkFiles(folder);
      // A killed process may have a request on its way.
      checkRate(server.arrivals, RATE, 2 + killed.length);
      const collected = await readSnapshotPeople(out);
      const ids = new Set(collected.map(({ passport }) => passport.passport_id));
      assert.equal(ids.size, collected.length, "somebody is there twice");
      const residents = server.residents();
      assert.deepEqual(
        residents.filter((id) => !ids.has(id)),
        [],
        "somebody is missing",
      );
      assert.deepEqual(
        collected.filter((person) => !server.hasBeen(person)),
        [],
        "somebody was never like this",
      );
      return {
        people: population.length,
        residents: residents.length,
        collected: collected.length,
        kills: killed.length,
        requests: server.requests(),
        seconds,
        requests_per_second: server.requests() / seconds,
        peak_mib: peakMiB,
        result: run.stdout === "" ? null : JSON.parse(run.stdout),
      };
    } finally {
      server.close();
    }
  });
}

/** Every file is readable by its owner only, and none contains the key. */
async function checkFiles(folder: string): Promise<void> {
  for (const name of await readdir(folder, { recursive: true })) {
    const path = join(folder, name);
    const { mode, isFile } = await stat(path).then((found) => ({ mode: found.mode, isFile: found.isFile() }));
    if (name === "key") continue;
    assert.equal(mode & 0o077, 0, name);
    if (isFile) assert.ok(!(await readFile(path)).includes(KEY), name);
  }
}
