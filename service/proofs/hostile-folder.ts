import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { appendFileSync } from "node:fs";
import { cp, readFile, rename, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { type Run, runCredence, startCredence, withProofDatabase, withProofFolder } from "./harness.ts";

const MAX_MEMORY_MIB = 300;
const REFUSED = 4;
const FILE = "people-00001.ndjson.zst";
const BOMB_BYTES = 512 * 1_048_576;

/** `corrupt` may return a function that ends what it started. */
type Hostile = { corrupt: (folder: string) => Promise<(() => void) | undefined>; message: RegExp };

/** Hostile snapshot folders are refused, in bounded memory. No person is imported. */
export function proveHostileFolder(people: number) {
  return withProofFolder((folder) =>
    withProofDatabase(async ({ url, database }) => {
      const good = join(folder, "good");
      await runCredence(["generate", "--people", String(people), "--out", good]);
      const results: Record<string, Pick<Run, "seconds" | "peakMiB"> & { message: string }> = {};
      for (const [name, { corrupt, message }] of Object.entries(FOLDERS)) {
        const hostile = join(folder, name.replaceAll(/[^a-z0-9]/gi, "-"));
        await cp(good, hostile, { recursive: true });
        const end = await corrupt(hostile);
        const run = await startCredence(["import", hostile, "--rejects", join(folder, "none")], { DATABASE_URL: url })
          .ended;
        end?.();
        assert.equal(run.code, REFUSED, `${name}: ${run.stderr}`);
        assert.match(run.stderr, message, name);
        assert.ok(run.peakMiB <= MAX_MEMORY_MIB, `${name}: ${run.peakMiB} MiB`);
        const { rows } = await database.query("select count(*) as people from passport");
        assert.deepEqual(rows, [{ people: 0 }], name);
        results[name] = { seconds: run.seconds, peakMiB: run.peakMiB, message: run.stderr.split("\n")[0] ?? "" };
        await rm(hostile, { recursive: true, force: true });
      }
      return { refused: Object.keys(results).length, results };
    }),
  );
}

/** Replaces the file of people, with its size and digest in the manifest. */
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

async function replaceByLink(folder: string, name: string, to: string): Promise<undefined> {
  await rm(join(folder, name));
  await symlink(to, join(folder, name));
}

/** Repeats `work` every two milliseconds. Returns a function that stops it. */
function repeat(work: () => void): () => void {
  const timer = setInterval(work, 2);
  return () => clearInterval(timer);
}

const FOLDERS: Record<string, Hostile> = {
  "manifest is a link to /dev/zero": {
    corrupt: (folder) => replaceByLink(folder, "manifest.json", "/dev/zero"),
    message: /manifest\.json" is not a regular file/,
  },
  "people are a link to /dev/zero": {
    corrupt: (folder) => replaceByLink(folder, FILE, "/dev/zero"),
    message: /zst" is not a regular file/,
  },
  "people are a link to a good file": {
    corrupt: async (folder) => {
      await rename(join(folder, FILE), join(folder, "moved"));
      await symlink("moved", join(folder, FILE));
      return undefined;
    },
    message: /zst" is not a regular file/,
  },
  "people are a socket": {
    corrupt: async (folder) => {
      await rm(join(folder, FILE));
      const server = createServer().listen(join(folder, FILE));
      await new Promise((resolve) => server.once("listening", resolve));
      return () => server.close();
    },
    message: /zst" is not a regular file/,
  },
  "a huge manifest": {
    corrupt: async (folder) => {
      await truncate(join(folder, "manifest.json"), 17 * 1_048_576);
      return undefined;
    },
    message: /more than 16777216 bytes/,
  },
  "people that grow": {
    corrupt: async (folder) => repeat(() => appendFileSync(join(folder, FILE), "x")),
    message: /the manifest says|was changed while it was read/,
  },
  "a zstd bomb": {
    corrupt: (folder) => replacePeople(folder, zstdCompressSync(Buffer.alloc(BOMB_BYTES, " "))),
    message: /decompresses to more than 250 times its size/,
  },
  "a gzip bomb": {
    corrupt: (folder) => replacePeople(folder, gzipSync(Buffer.alloc(BOMB_BYTES, "{"))),
    message: /decompresses to more than 250 times its size/,
  },
  "a newline bomb": {
    corrupt: (folder) => replacePeople(folder, Buffer.alloc(64 * 1_048_576, "\n")),
    message: /more than 1000000 blank lines/,
  },
  "people that are replaced": {
    corrupt: async (folder) => {
      const [path, copy] = [join(folder, FILE), join(folder, "copy")];
      const bytes = await readFile(path);
      let swapping = false;
      return repeat(() => {
        if (swapping) return;
        swapping = true;
        writeFile(copy, bytes)
          .then(() => rename(copy, path))
          .catch(() => {})
          .finally(() => {
            swapping = false;
          });
      });
    },
    message: /was changed while it was read/,
  },
};
