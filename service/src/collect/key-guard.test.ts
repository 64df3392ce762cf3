import { expect, test } from "vitest";
import { createKeyGuard } from "./key-guard.ts";

const KEY = 'Old_Key-0123456789"abcdef\\x';
const guard = createKeyGuard(KEY);
const percent = [...KEY].map((character) => `%${character.charCodeAt(0).toString(16)}`).join("");
const escapes = [...KEY].map((character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");

test.each([
  ["as it is", `a ${KEY} b`],
  ["in lower case", KEY.toLowerCase()],
  ["in upper case", KEY.toUpperCase()],
  ["percent-encoded", percent],
  ["in a URL", encodeURIComponent(KEY)],
  ["as JSON", JSON.stringify({ key: KEY })],
  ["escaped in JSON, and parsed", JSON.stringify(JSON.parse(`"${escapes}"`))],
  ["as entities of HTML", [...KEY].map((character) => `&#${character.charCodeAt(0)};`).join("")],
  ["in hexadecimal", Buffer.from(KEY).toString("hex").toUpperCase()],
  ["in Base64", Buffer.from(KEY).toString("base64")],
  ["in Base64, after one character", Buffer.from(`:${KEY}`).toString("base64")],
  ["in Base64 for URLs, within a text", Buffer.from(`ab${KEY}cd`).toString("base64url")],
])("recognises the key %s", (_, text) => {
  expect(guard.isIn(text)).toBe(true);
  expect(guard.hide(`https://${text}`)).toBe("…");
});

test("does not find it elsewhere", () => {
  expect(guard.isIn(JSON.stringify({ passport_id: 1, display_name: "Old Key", bio: KEY.slice(1) }))).toBe(false);
  expect(createKeyGuard("k1").isIn("YW55IGNhcm5hbCBwbGVhc3VyZQ==")).toBe(false);
  expect(createKeyGuard(null).hide("text")).toBe("text");
});
