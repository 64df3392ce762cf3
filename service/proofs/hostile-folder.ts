import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { appendFileSync } from "node:fs";
import { cp, readFile, rename, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { type Run, runCredence, startCredence, withProofDatabase, withProofFolder } from "./ground.ts";

const MEMORY_MIB = 300;
const REFUSED = 4;
const FILE = "people-00001.ndjson.zst";
const BOMB_BYTES = 512 * 1_048_576;

type Hostile = { spoil: (folder: string) => Promise<(() => void) | undefined>; says: RegExp };

/** Snapshot folders made to do harm: each is refused with a sentence, in bounded memory, and nobody is imported. */
export function proveHostileFolder(people: number) {
  return withProofFolder((folder) =>
    withProofDatabase(async ({ url, database }) => {
      const good = join(folder, "good");
      await runCredence(["generate", "--people", String(people), "--out", good]);
      const results: Record<string, Pick<Run, "seconds" | "peakMiB"> & { said: string }> = {};
      for (const [name, { spoil, says }] of Object.entries(FOLDERS)) {
        const hostile = join(folder, name.replaceAll(/[^a-z0-9]/gi, "-"));
        await cp(good, hostile, { recursive: true });
        const end = await spoil(hostile);
        const run = await startCredence(["import", hostile, "--rejects", join(folder, "none")], { DATABASE_URL: url })
          .ended;
        end?.();
        assert.equal(run.code, REFUSED, `${name}: ${run.stderr}`);
        assert.match(run.stderr, says, name);
        assert.ok(run.peakMiB <= MEMORY_MIB, `${name}: ${run.peakMiB} MiB`);
        const { rows } = await database.query("select count(*) as people from passport");
        assert.deepEqual(rows, [{ people: 0 }], name);
        results[name] = { seconds: run.seconds, peakMiB: run.peakMiB, said: run.stderr.split("\n")[0] ?? "" };
        await rm(hostile, { recursive: true, force: true });
      }
      return results;
    }),
  );
}

const nothing = async (work: Promise<unknown>): Promise<undefined> => {
  await work;
};

/** Puts a file in place of the people's, and its size and digest into the manifest. */
async function replacePeople(folder: string, bytes: Buffer): Promise<undefined> {
  await writeFile(join(folder, FILE), bytes);
  const path = join(folder, "manifest.json");
  const manifest = JSON.parse(await readFile(path, "utf8"));
  Object.assign(manifest.files[0], {
    bytes: bytes.length,
    sha256: createHash("sha256").update(bytes).digest("hex"),
  });
  await writeFile(path, JSON.stringify(manifest));
}

async function link(folder: string, name: string, to: string): Promise<undefined> {
  await rm(join(folder, name));
  await symlink(to, join(folder, name));
}

/** Repeats something every few milliseconds until it is told to stop. */
function meanwhile(work: () => void): () => void {
  const timer = setInterval(work, 2);
  return () => clearInterval(timer);
}

const FOLDERS: Record<string, Hostile> = {
  "manifest is a link to /dev/zero": {
    spoil: (folder) => link(folder, "manifest.json", "/dev/zero"),
    says: /manifest\.json is not a regular file/,
  },
  "people are a link to /dev/zero": {
    spoil: (folder) => link(folder, FILE, "/dev/zero"),
    says: /zst is not a regular file/,
  },
  "people are a link to a good file": {
    spoil: async (folder) => {
      await rename(join(folder, FILE), join(folder, "moved"));
      await symlink("moved", join(folder, FILE));
      return undefined;
    },
    says: /zst is not a regular file/,
  },
  "people are a socket": {
    spoil: async (folder) => {
      await rm(join(folder, FILE));
      const server = createServer().listen(join(folder, FILE));
      await new Promise((resolve) => server.once("listening", resolve));
      return () => server.close();
    },
    says: /zst is not a regular file/,
  },
  "a huge manifest": {
    spoil: (folder) => nothing(truncate(join(folder, "manifest.json"), 17 * 1_048_576)),
    says: /more than 16777216 bytes/,
  },
  "people that grow": {
    spoil: async (folder) => meanwhile(() => appendFileSync(join(folder, FILE), "x")),
    says: /the manifest says|was changed while it was read/,
  },
  "a zstd bomb": {
    spoil: (folder) => replacePeople(folder, zstdCompressSync(Buffer.alloc(BOMB_BYTES, " "))),
    says: /decompresses to more than 250 times its size/,
  },
  "a gzip bomb": {
    spoil: (folder) => replacePeople(folder, gzipSync(Buffer.alloc(BOMB_BYTES, "{"))),
    says: /decompresses to more than 250 times its size/,
  },
  "a newline bomb": {
    spoil: (folder) => replacePeople(folder, Buffer.alloc(64 * 1_048_576, "\n")),
    says: /more than 1000000 blank lines/,
  },
  "people that are replaced": {
    spoil: async (folder) => {
      const [path, other] = [join(folder, FILE), join(folder, "other")];
      const bytes = await readFile(path);
      let swapping = false;
      return meanwhile(() => {
        if (swapping) return;
        swapping = true;
        writeFile(other, bytes)
          .then(() => rename(other, path))
          .catch(() => {})
          .finally(() => {
            swapping = false;
          });
      });
    },
    says: /was changed while it was read/,
  },
};
