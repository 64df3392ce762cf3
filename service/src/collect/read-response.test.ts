import { expect, test } from "vitest";
import { idInFileName } from "./read-response.ts";

test.each([
  ["credentials-7.json", 7],
  ["v1-credentials-7.json.gz", 7],
  ["passport_credentials%3Fpassport_id%3D7&page=2.json", 7],
  ["7.ndjson", 7],
  // Which of two numbers is meant, a name does not say: credentials would go to another person.
  ["2026-01-02-credentials-7.json", null],
  ["7-of-9.json", null],
  ["page-2-credentials-7.json", null],
  ["credentials.json", null],
  ["0.json", null],
  ["0x00000000000000000000000000000000000000a1.json", null],
  ["99999999999999999999.json", null],
])("the id in %s is %s", (name, id) => {
  expect(idInFileName(name)).toBe(id);
});
