import { createPrivateKey, createPublicKey, type KeyObject, verify } from "node:crypto";
import { readFile } from "node:fs/promises";
import { SnapshotRefused } from "./refused.ts";

/** Reads a private Ed25519 key from a PEM file. */
export async function readPrivateKey(path: string): Promise<KeyObject> {
  const pem = await readFile(path);
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch {
    // Reported below.
  }
  throw noKey(path, "private");
}

const PEM_BLOCK = /-----BEGIN [A-Z ]+-----[^-]*-----END [A-Z ]+-----/g;

/** Reads one or several public Ed25519 keys from a PEM file: during a rotation, the new one and the old one. */
export async function readPublicKeys(path: string): Promise<KeyObject[]> {
  const blocks = (await readFile(path, "utf8")).match(PEM_BLOCK) ?? [];
  try {
    const keys = blocks.map((pem) => createPublicKey(pem));
    if (keys.length > 0 && keys.every((key) => key.asymmetricKeyType === "ed25519")) return keys;
  } catch {
    // Reported below.
  }
  throw noKey(path, "public");
}

/** Whether one of these keys has signed the bytes. */
export const isSigned = (bytes: Buffer, signature: Buffer, keys: readonly KeyObject[]): boolean =>
  keys.some((key) => verify(null, bytes, key, signature));

const noKey = (path: string, kind: "private" | "public"): SnapshotRefused =>
  new SnapshotRefused(
    `"${path}" contains no ${kind} Ed25519 key in PEM format.`,
    kind === "private"
      ? "Generate one: openssl genpkey -algorithm ed25519 -out private.pem"
      : "Extract it from the private key: openssl pkey -in private.pem -pubout -out public.pem",
  );
