import { randomInt } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { scaled } from "#testing/scale.ts";
import { formatToken, hashToken, randomTokenParts, readTokenId } from "./api-key.ts";

test("a token contains its id and matches the pattern for secret scanners", () => {
  for (let index = 0; index < 1_000; index++) {
    const { id, secret } = randomTokenParts(randomInt);
    const token = formatToken(id, secret);
    expect(token).toMatch(/^crd_[0-9A-Za-z]{48}$/);
    expect(readTokenId(token)).toBe(id);
  }
});

test("rejects a token with one changed character", () => {
  const { id, secret } = randomTokenParts(randomInt);
  const token = formatToken(id, secret);
  for (let index = 4; index < token.length; index++) {
    const changed = token[index] === "a" ? "b" : "a";
    expect(readTokenId(token.slice(0, index) + changed + token.slice(index + 1))).toBeNull();
  }
});

test("rejects any other text", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^crd_[0-9A-Za-z]{40,56}$/)), (text) => {
      expect(readTokenId(text)).toBeNull();
    }),
    { numRuns: scaled(5_000, 500) },
  );
});

test("hashes tokens with SHA-256", () => {
  expect(hashToken("abc").toString("hex")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});
