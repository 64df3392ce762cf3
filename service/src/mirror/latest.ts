import { type KeyObject, sign } from "node:crypto";
import { Latest } from "@credence/contract/snapshot.ts";
import { Compile } from "typebox/compile";
import { SnapshotRefused } from "#core/files/refused.ts";
import { findSigner, keyFingerprint } from "#core/files/signing-key.ts";

export const LATEST_NAME = "latest.json";
export const LATEST_MAX_BYTES = 4_096;

/** The file: one line of JSON, and its signature. */
export function writeLatest(latest: Latest, privateKey: KeyObject): Buffer {
  const line = Buffer.from(JSON.stringify(latest));
  return Buffer.concat([line, Buffer.from(`\n${sign(null, line, privateKey).toString("base64")}\n`)]);
}

const isLatest = Compile(Latest);

/** `signer`: the fingerprint of the key that verified it. */
export type VerifiedLatest = { latest: Latest; signer: string };

/**
 * Verifies and parses the file. Whether it is expired, older than another one, or of another feed, is
 * for the caller to decide.
 */
export function readLatest(bytes: Buffer, publicKeys: readonly KeyObject[]): VerifiedLatest {
  const end = bytes.indexOf(10);
  if (bytes.length > LATEST_MAX_BYTES || end === -1) throw invalid("it is not a line and its signature");
  const line = bytes.subarray(0, end);
  const signature = Buffer.from(bytes.toString("latin1", end + 1).trim(), "base64");
  const signer = findSigner(line, signature, publicKeys);
  if (signer === undefined) {
    throw new SnapshotRefused(
      `The signature of ${LATEST_NAME} does not match its first line and the public key.`,
      "It was changed, or signed with another key. Ask the publisher, by another way, for the key.",
    );
  }
  return { latest: parseLatest(line), signer: keyFingerprint(signer) };
}

/** The first line, without a look at its signature: for the publisher, who wrote it. */
export function parseLatest(bytes: Buffer): Latest {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString("utf8").split("\n")[0] ?? "");
  } catch {
    throw invalid("its first line is not JSON");
  }
  if (isLatest.Check(value)) return value;
  const { format, version } = (value ?? {}) as { format?: unknown; version?: unknown };
  if (format !== "credence-latest") throw invalid("it is a signed file of another kind");
  if (typeof version === "number" && version > 1) {
    throw new SnapshotRefused(
      `${LATEST_NAME} has version ${version}; this program reads version 1.`,
      "Use a newer version of Credence.",
    );
  }
  const [error] = isLatest.Errors(value);
  throw invalid(`${error?.instancePath || "it"} ${error?.message}`);
}

const invalid = (problem: string): SnapshotRefused =>
  new SnapshotRefused(`${LATEST_NAME} is invalid: ${problem}.`, "docs/MIRROR.md describes the file.");
