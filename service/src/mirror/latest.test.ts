import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import type { Latest } from "@credence/contract/snapshot.ts";
import { expect, test } from "vitest";
import { keyFingerprint } from "#core/files/signing-key.ts";
import { LATEST_MAX_BYTES, readLatest, writeLatest } from "./latest.ts";

const [first, second] = [generateKeyPairSync("ed25519"), generateKeyPairSync("ed25519")];
const LATEST: Latest = {
  format: "credence-latest",
  version: 1,
  feed: "88e40b0e-9223-43e2-a484-5744688d0983",
  snapshot: "2026-11-18T020000Z",
  manifest_sha256: "a".repeat(64),
  created_at: "2026-11-18T02:00:00.000Z",
  at: "2026-11-18T10:05:00.000Z",
  expires_at: "2026-11-18T16:05:00.000Z",
};

test("is read as it was written, with one of several keys", () => {
  const bytes = writeLatest(LATEST, second.privateKey);
  expect(bytes.toString().split("\n")).toHaveLength(3);
  const { latest, signer } = readLatest(bytes, [first.publicKey, second.publicKey]);
  expect(latest).toEqual(LATEST);
  expect(signer).toBe(keyFingerprint(second.privateKey));
});

const signed = (text: string, key: KeyObject): Buffer =>
  Buffer.from(`${text}\n${sign(null, Buffer.from(text), key).toString("base64")}\n`);
const changed = (change: object): Buffer => signed(JSON.stringify({ ...LATEST, ...change }), first.privateKey);

test.each([
  ["another key", writeLatest(LATEST, second.privateKey), "The signature of latest.json does not match"],
  [
    "a changed line",
    Buffer.from(writeLatest(LATEST, first.privateKey).toString().replace("16:05", "17:05")),
    "does not match",
  ],
  ["no signature", Buffer.from(JSON.stringify(LATEST)), "not a line and its signature"],
  ["a long body", Buffer.concat([writeLatest(LATEST, first.privateKey), Buffer.alloc(LATEST_MAX_BYTES)]), "not a line"],
  ["no JSON", signed("{", first.privateKey), "its first line is not JSON"],
  ["another kind", signed('{"format":"credence-snapshot","version":1}', first.privateKey), "of another kind"],
  ["a later version", changed({ version: 2 }), "has version 2; this program reads version 1"],
  ["a path", changed({ snapshot: "../2026-11-18T020000Z" }), "/snapshot"],
  ["another field", changed({ gone: [1] }), "is invalid"],
])("%s is refused", (_, bytes, message) => {
  expect(() => readLatest(bytes, [first.publicKey])).toThrow(message);
});
