import { createHash, type KeyObject } from "node:crypto";
import { join } from "node:path";
import { Manifest } from "@credence/contract/snapshot.ts";
import { Compile } from "typebox/compile";
import { type OnRaw, readUnchanged } from "./decompress.ts";
import { type FileState, openRegular } from "./open-file.ts";
import { SnapshotRefused } from "./refused.ts";
import { isSigned } from "./signing-key.ts";
import { MANIFEST_NAME, SIGNATURE_NAME } from "./write-manifest.ts";

const isManifest = Compile(Manifest);

/** Of a snapshot; `unchecked` without a public key. */
export type Signature = "none" | "unchecked" | "valid";

/** Reads the manifest of a folder. If there are public keys, one of them must verify its signature. */
export async function readManifest(
  folder: string,
  publicKeys: readonly KeyObject[],
): Promise<{ manifest: Manifest; signature: Signature }> {
  const bytes = await readIfExists(join(folder, MANIFEST_NAME));
  if (bytes === null) {
    throw new SnapshotRefused(
      `"${folder}" holds no ${MANIFEST_NAME}. It is not a snapshot, or its export did not finish.`,
      "Export it again. For a folder of saved V1 responses: credence collect --from-files FOLDER --out SNAPSHOT",
    );
  }
  const signature = await readIfExists(join(folder, SIGNATURE_NAME));
  if (publicKeys.length > 0) requireSignature(folder, bytes, signature, publicKeys);
  const unchecked = signature === null ? "none" : "unchecked";
  return { manifest: parseManifest(folder, bytes), signature: publicKeys.length > 0 ? "valid" : unchecked };
}

function requireSignature(
  folder: string,
  bytes: Buffer,
  signature: Buffer | null,
  publicKeys: readonly KeyObject[],
): void {
  if (signature === null) {
    throw new SnapshotRefused(
      `"${folder}" is not signed.`,
      "Omit --public-key only if you trust the snapshot without a signature.",
    );
  }
  if (isSigned(bytes, signature, publicKeys)) return;
  throw new SnapshotRefused(
    `The signature of "${folder}" does not match its manifest and this key.`,
    "The manifest was changed, or it was signed with another key. Ask the publisher of the snapshot.",
  );
}

function parseManifest(folder: string, bytes: Buffer): Manifest {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString("utf8"));
  } catch (error) {
    throw invalid(folder, `it is not JSON: ${(error as Error).message}`);
  }
  if (isManifest.Check(value)) return value;
  const { version } = (value ?? {}) as { version?: unknown };
  if (typeof version === "number" && version > 1) {
    throw new SnapshotRefused(
      `"${folder}" is a snapshot of version ${version}; this program reads version 1.`,
      "Use a newer version of Credence.",
    );
  }
  const [error] = isManifest.Errors(value);
  throw invalid(folder, `${error?.instancePath || "it"} ${error?.message}`);
}

const invalid = (folder: string, problem: string): SnapshotRefused =>
  new SnapshotRefused(
    `The ${MANIFEST_NAME} of "${folder}" is invalid: ${problem}.`,
    "docs/SNAPSHOTS.md describes the format.",
  );

type ListedFile = { name: string; bytes: number; sha256: string };

/** Opens a file that a manifest lists, and verifies its size. Reads fail if it has changed, or is another one. */
export async function openListed(folder: string, { name, bytes, sha256 }: ListedFile) {
  const path = join(folder, name);
  const { file, state } = await openRegular(path, "refuse").catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== "ENOENT") throw cause;
    throw new SnapshotRefused(
      `The manifest of "${folder}" lists "${name}", which does not exist.`,
      "Download the snapshot again.",
      { cause },
    );
  });
  await file.close();
  if (state.bytes !== bytes) {
    throw new SnapshotRefused(
      `"${path}" has ${state.bytes} bytes; the manifest says ${bytes}.`,
      "The file was damaged or changed. Download the snapshot again.",
    );
  }
  return { name, bytes, read: (onRaw: OnRaw) => readListed(path, state, sha256, onRaw) };
}

/** Verifies the SHA-256 on every read. */
async function* readListed(path: string, state: FileState, sha256: string, onRaw: OnRaw): AsyncGenerator<Buffer> {
  const hash = createHash("sha256");
  yield* readUnchanged(path, "refuse", state, (chunk) => {
    hash.update(chunk);
    onRaw(chunk);
  });
  if (hash.digest("hex") === sha256) return;
  throw new SnapshotRefused(
    `"${path}" is not the file in the manifest: its SHA-256 differs.`,
    "The file was damaged or changed. Download the snapshot again.",
  );
}

/** Enough for 100,000 files. */
const MAX_BYTES = 16 * 1_048_576;

async function readIfExists(path: string): Promise<Buffer | null> {
  const opened = await openRegular(path, "refuse").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  if (opened === null) return null;
  const { file, state } = opened;
  try {
    if (state.bytes > MAX_BYTES) {
      throw new SnapshotRefused(
        `"${path}" has more than ${MAX_BYTES} bytes.`,
        "docs/SNAPSHOTS.md describes the format.",
      );
    }
    const { buffer, bytesRead } = await file.read(Buffer.alloc(state.bytes), 0, state.bytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
