import { createHash } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Latest } from "@credence/contract/snapshot.ts";
import { readManifest } from "#core/files/manifest.ts";
import { SnapshotRefused } from "#core/files/refused.ts";
import { openSource, type Source } from "#core/files/source.ts";
import { MANIFEST_NAME } from "#core/files/write-manifest.ts";
import { fetchBytes, fetchToFile, type Publisher } from "./fetch-file.ts";

const MAX_MANIFEST_BYTES = 16 * 1_048_576;

/** Runs `work` with the verified snapshot, in a folder that only this user may read and that is deleted after it. */
export async function withSnapshot<Result>(
  publisher: Publisher,
  latest: Latest,
  folderName: string,
  work: (source: Source) => Promise<Result>,
): Promise<Result> {
  const folder = join(tmpdir(), folderName);
  // What an interrupted run has left.
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { mode: 0o700 });
  try {
    return await work(await download(publisher, latest, folder));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function download(publisher: Publisher, latest: Latest, folder: string): Promise<Source> {
  const address = (name: string) => `${latest.snapshot}/${name}`;
  const bytes = await fetchBytes(publisher, address(MANIFEST_NAME), { maxBytes: MAX_MANIFEST_BYTES });
  if (createHash("sha256").update(bytes).digest("hex") !== latest.manifest_sha256) {
    throw refused("is not the one that latest.json names: its SHA-256 differs");
  }
  await writeFile(join(folder, MANIFEST_NAME), bytes, { mode: 0o600 });
  const { manifest } = await readManifest(folder, []);
  if (manifest.for !== "mirrors" || manifest.opt_out !== undefined) {
    throw refused("is not for mirrors: it may have hidden people");
  }
  if (manifest.feed !== latest.feed || manifest.created_at !== latest.created_at) {
    throw refused("has another feed or another age than latest.json");
  }
  if (manifest.people === 0) throw refused("has no people");
  for (const { name, bytes } of manifest.files) {
    await fetchToFile(publisher, address(name), join(folder, name), { maxBytes: bytes });
  }
  const source = await openSource(folder, []);
  await source.check(() => {});
  return source;
}

const refused = (problem: string): SnapshotRefused =>
  new SnapshotRefused(`The snapshot of the publisher ${problem}.`, "Ask the publisher, by another way.");
