import { createPrivateKey, createPublicKey, sign as createSignature, type KeyObject, verify } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MANIFEST_NAME, Manifest, SIGNATURE_NAME } from "@credence/contract/snapshot.ts";
import { Compile } from "typebox/compile";
import { openRegular } from "./open-file.ts";
import { SnapshotRefused } from "./refused.ts";

const isManifest = Compile(Manifest);

export type ReadManifest = { manifest: Manifest; signed: boolean };

/** Reads the manifest of a folder, and checks its signature if a public key is given. */
export async function readManifest(folder: string, publicKey: KeyObject | null): Promise<ReadManifest> {
  const bytes = await readIfThere(join(folder, MANIFEST_NAME));
  if (bytes === null) {
    throw new SnapshotRefused(
      `${folder} holds no ${MANIFEST_NAME}, so it is no snapshot, or one whose making was cut short.`,
      "Make it again, or name a file of people instead of the folder.",
    );
  }
  const signature = await readIfThere(join(folder, SIGNATURE_NAME));
  if (publicKey !== null) requireSignature(folder, bytes, signature, publicKey);
  return { manifest: parseManifest(folder, bytes), signed: signature !== null };
}

function requireSignature(folder: string, bytes: Buffer, signature: Buffer | null, publicKey: KeyObject): void {
  if (signature === null) {
    throw new SnapshotRefused(
      `${folder} is not signed.`,
      "Import it without --public-key only if you trust it otherwise.",
    );
  }
  if (!verify(null, bytes, publicKey, signature)) {
    throw new SnapshotRefused(
      `The signature of ${folder} does not fit its manifest and this key.`,
      "Somebody changed it, or the key is another one. Ask whoever made it.",
    );
  }
}

function parseManifest(folder: string, bytes: Buffer): Manifest {
  let given: unknown;
  try {
    given = JSON.parse(bytes.toString("utf8"));
  } catch (error) {
    throw unreadable(folder, `it is not JSON: ${(error as Error).message}`);
  }
  if (isManifest.Check(given)) return given;
  const { version } = (given ?? {}) as { version?: unknown };
  if (typeof version === "number" && version > 1) {
    throw new SnapshotRefused(
      `${folder} is a snapshot of version ${version}; this program reads version 1.`,
      "Use a newer Credence.",
    );
  }
  const [error] = isManifest.Errors(given);
  throw unreadable(folder, `${error?.instancePath || "it"} ${error?.message}`);
}

const unreadable = (folder: string, problem: string): SnapshotRefused =>
  new SnapshotRefused(
    `The ${MANIFEST_NAME} of ${folder} cannot be used: ${problem}.`,
    "docs/SNAPSHOTS.md describes it.",
  );

/** Writes the manifest, the last file of a snapshot: a folder without one is not whole. */
export async function writeManifest(folder: string, manifest: Manifest, privateKey: KeyObject | null): Promise<void> {
  const bytes = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
  if (privateKey !== null) {
    await writeFile(join(folder, SIGNATURE_NAME), createSignature(null, bytes, privateKey), { mode: 0o600 });
  }
  const path = join(folder, MANIFEST_NAME);
  await writeFile(`${path}.part`, bytes, { mode: 0o600, flush: true });
  await rename(`${path}.part`, path);
}

/** Reads an Ed25519 key from a PEM file. */
export async function readKey(path: string, kind: "private" | "public"): Promise<KeyObject> {
  const pem = await readFile(path);
  let key: KeyObject | null = null;
  try {
    key = kind === "private" ? createPrivateKey(pem) : createPublicKey(pem);
  } catch {
    // Told below.
  }
  if (key?.asymmetricKeyType !== "ed25519") {
    throw new SnapshotRefused(
      `${path} holds no ${kind} Ed25519 key in PEM form.`,
      kind === "private"
        ? "Make one: openssl genpkey -algorithm ed25519 -out private.pem"
        : "Take it from the private key: openssl pkey -in private.pem -pubout -out public.pem",
    );
  }
  return key;
}

/** A hundred thousand files are listed in less. */
const LARGEST_BYTES = 16 * 1_048_576;

async function readIfThere(path: string): Promise<Buffer | null> {
  const opened = await openRegular(path, "refuse").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  if (opened === null) return null;
  const { file, state } = opened;
  try {
    if (state.bytes > LARGEST_BYTES) {
      throw new SnapshotRefused(`${path} has more than ${LARGEST_BYTES} bytes.`, "docs/SNAPSHOTS.md describes it.");
    }
    const { buffer, bytesRead } = await file.read(Buffer.alloc(state.bytes), 0, state.bytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
