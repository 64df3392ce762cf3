import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { readFile } from "node:fs/promises";
import { SnapshotRefused } from "./refused.ts";

/** Reads an Ed25519 key from a PEM file. */
export async function readKey(path: string, kind: "private" | "public"): Promise<KeyObject> {
  const pem = await readFile(path);
  let key: KeyObject | null = null;
  try {
    key = kind === "private" ? createPrivateKey(pem) : createPublicKey(pem);
  } catch {
    // Reported below.
  }
  if (key?.asymmetricKeyType !== "ed25519") {
    throw new SnapshotRefused(
      `"${path}" contains no ${kind} Ed25519 key in PEM format.`,
      kind === "private"
        ? "Generate one: openssl genpkey -algorithm ed25519 -out private.pem"
        : "Extract it from the private key: openssl pkey -in private.pem -pubout -out public.pem",
    );
  }
  return key;
}
