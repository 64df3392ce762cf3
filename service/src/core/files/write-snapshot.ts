import { createHash, type KeyObject } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { constants, createZstdCompress } from "node:zlib";
import type { Person } from "@credence/contract/person.ts";
import type { Manifest } from "@credence/contract/snapshot.ts";
import { SnapshotRefused } from "./refused.ts";
import { MANIFEST_NAME, writeManifest } from "./write-manifest.ts";

const PEOPLE_PER_FILE = 100_000;
const CHUNK_CHARACTERS = 262_144;

/** A person as JSON, with the number of credentials. */
export type PersonLine = { line: string; credentials: number };

export const printPerson = (person: Person): PersonLine => ({
  line: JSON.stringify(person),
  credentials: person.credentials.length,
});

export type SnapshotContent = {
  source: string;
  createdAt: Date;
  people: AsyncIterable<PersonLine> | Iterable<PersonLine>;
  /** The lines of a file of decisions. */
  decisions: AsyncIterable<string> | null;
  privateKey: KeyObject | null;
  /** For a snapshot of an old server's responses. Called when all people are written. */
  findCollected?: () => NonNullable<Manifest["collected"]>;
};

/** Writes a snapshot into an empty or new folder. The manifest is written last. */
export async function writeSnapshot(
  folder: string,
  content: SnapshotContent,
  onProgress: (people: number) => void,
): Promise<Manifest> {
  await makeFolder(folder);
  const files: Manifest["files"] = [];
  const totals = { people: 0, credentials: 0 };
  const people = iterate(content.people);
  let next = await people.next();
  do {
    const counts = { people: 0, credentials: 0 };
    const lines = async function* () {
      for (; !next.done && counts.people < PEOPLE_PER_FILE; next = await people.next()) {
        counts.people += 1;
        counts.credentials += next.value.credentials;
        yield next.value.line;
        onProgress(totals.people + counts.people);
      }
    };
    const name = `people-${String(files.length + 1).padStart(5, "0")}.ndjson.zst`;
    files.push({ name, ...(await writeCompressed(join(folder, name), lines())), ...counts });
    totals.people += counts.people;
    totals.credentials += counts.credentials;
  } while (!next.done);
  const decisions = content.decisions === null ? {} : await writeDecisions(folder, content.decisions);
  const manifest: Manifest = {
    format: "credence-snapshot",
    version: 1,
    created_at: content.createdAt.toISOString(),
    source: content.source,
    ...totals,
    files,
    ...decisions,
    ...(content.findCollected && { collected: content.findCollected() }),
  };
  await writeManifest(folder, manifest, content.privateKey);
  return manifest;
}

function iterate<Item>(items: AsyncIterable<Item> | Iterable<Item>): AsyncIterator<Item> | Iterator<Item> {
  return Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
}

async function writeDecisions(folder: string, content: AsyncIterable<string>): Promise<Pick<Manifest, "decisions">> {
  let count = 0;
  const lines = async function* () {
    for await (const line of content) {
      count += 1;
      yield line;
    }
  };
  const name = "decisions.ndjson.zst";
  const written = await writeCompressed(join(folder, name), lines());
  // Without the first and the last line.
  return { decisions: { name, ...written, decisions: count - 2 } };
}

/** A snapshot contains personal data: only the owner of the folder may read it. */
async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const names = await readdir(folder);
  if (names.length > 0 && !names.includes(MANIFEST_NAME) && names.every((name) => /\.zst$|\.part$/.test(name))) {
    throw new SnapshotRefused(`"${folder}" contains an unfinished snapshot.`, "Remove it and run the command again.");
  }
  if (names.length > 0) {
    throw new SnapshotRefused(`"${folder}" is not empty.`, "Pass an empty or new folder.");
  }
}

async function writeCompressed(path: string, lines: AsyncIterable<string>): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash("sha256");
  let bytes = 0;
  await pipeline(
    joinLines(lines),
    // With a checksum, a damaged file is refused also without its manifest.
    createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } }),
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        bytes += chunk.length;
        yield chunk;
      }
    },
    createWriteStream(path, { mode: 0o600, flush: true }),
  );
  return { bytes, sha256: hash.digest("hex") };
}

/** Joins lines into chunks, to save system calls. */
export async function* joinLines(lines: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let chunk = "";
  for await (const line of lines) {
    chunk += `${line}\n`;
    if (chunk.length < CHUNK_CHARACTERS) continue;
    yield Buffer.from(chunk);
    chunk = "";
  }
  if (chunk !== "") yield Buffer.from(chunk);
}
