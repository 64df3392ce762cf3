import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type JsonPart, splitJson } from "./split-json.ts";

async function split(text: string, chunkBytes = 7, maxBytes = 1_000): Promise<JsonPart[]> {
  const bytes = Buffer.from(text);
  const chunks = async function* () {
    for (let index = 0; index < bytes.length; index += chunkBytes) yield bytes.subarray(index, index + chunkBytes);
  };
  const found: JsonPart[] = [];
  for await (const parts of splitJson(chunks(), maxBytes)) found.push(...parts);
  return found;
}

describe("splitJson", () => {
  test("finds the same objects, however they are printed, joined and cut into chunks", async () => {
    const forms: ((objects: object[]) => string)[] = [
      (objects) => objects.map((object) => JSON.stringify(object)).join("\n"),
      (objects) => objects.map((object) => JSON.stringify(object, null, 2)).join(""),
      (objects) => `\uFEFF${JSON.stringify(objects)}`,
      (objects) => `${JSON.stringify(objects, null, 1)}\n${JSON.stringify([])}`,
    ];
    // Never one character: JSON.parse of Node 24 takes a key of one escaped character for a backslash, if an
    // earlier object of the same shape has that key.
    const pair = fc.string({ minLength: 2, maxLength: 2 });
    const object = fc.dictionary(fc.string({ unit: pair }), fc.jsonValue({ stringUnit: pair }));
    await fc.assert(
      fc.asyncProperty(
        fc.array(object),
        fc.constantFrom(...forms),
        fc.integer({ min: 1, max: 50 }),
        async (objects, print, size) => {
          const parts = await split(print(objects), size, 1_000_000);
          const text = JSON.stringify(parts.map(({ bytes }) => JSON.parse(String(bytes))));
          expect(text).toBe(JSON.stringify(objects));
        },
      ),
    );
  });

  test.each([
    ["<html>", ["it is not JSON, or contains values other than objects"]],
    ['{"a":1} 5', [null, "it is not JSON, or contains values other than objects"]],
    ['{"a":1}{"b":', [null, "it ends within a JSON object"]],
    [`{"a":"${"x".repeat(2_000)}"}{"b":1}`, ["a response is longer than 1000 bytes", null]],
    ["", []],
  ])("%.20s", async (text, problems) => {
    expect((await split(text)).map(({ problem }) => problem)).toEqual(problems);
  });
});
