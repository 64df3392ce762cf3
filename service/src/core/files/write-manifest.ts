import { sign as createSignature, type KeyObject } from "node:crypto";
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Manifest } from "@credence/contract/snapshot.ts";

export const MANIFEST_NAME = "manifest.json";
export const SIGNATURE_NAME = "manifest.json.sig";

/** Writes the last file of a snapshot. A folder without a manifest is incomplete. */
export async function writeManifest(folder: string, manifest: Manifest, privateKey: KeyObject | null): Promise<void> {
  const bytes = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
  if (privateKey !== null) {
    await writeFile(join(folder, SIGNATURE_NAME), createSignature(null, bytes, privateKey), { mode: 0o600 });
  }
  const path = join(folder, MANIFEST_NAME);
  await writeFile(`${path}.part`, bytes, { mode: 0o600, flush: true });
  await rename(`${path}.part`, path);
}
