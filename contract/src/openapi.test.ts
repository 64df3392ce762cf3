import { readFileSync } from "node:fs";
import { Compile } from "typebox/compile";
import { describe, expect, test } from "vitest";
import { printDocument } from "./answer-bytes.ts";
import { PassportCredentials, PassportList, SinglePassport } from "./answers.ts";
import { ERRORS } from "./errors.ts";
import { EXAMPLES } from "./examples.ts";
import { openapiDocument } from "./openapi.ts";
import { snapshotSchema } from "./snapshot.ts";

test("snapshot.schema.json matches the schemas; run `npm run openapi` after changing them", () => {
  const committed = readFileSync(new URL("../snapshot.schema.json", import.meta.url), "utf8");
  expect(committed).toBe(printDocument(snapshotSchema()));
});

describe("openapi.json", () => {
  const document = openapiDocument();

  test("matches the schemas; run `npm run openapi` after changing them", () => {
    const committed = readFileSync(new URL("../openapi.json", import.meta.url), "utf8");
    expect(committed).toBe(printDocument(document));
  });

  test("marks all three operations as deprecated", () => {
    const operations = Object.values(document.paths).map((path) => path.get);
    expect(operations).toHaveLength(3);
    expect(operations.every((operation) => operation.deprecated)).toBe(true);
  });

  test("describes every error code", () => {
    const described = Object.values(document.components.responses).flatMap((response) =>
      Object.keys(response.content["application/json"].examples),
    );
    expect(described.sort()).toEqual(Object.keys(ERRORS).sort());
  });

  test("has a target for every reference", () => {
    const references = JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g);
    for (const [, path] of references) {
      const target = path
        ?.split("/")
        .reduce<unknown>((node, key) => (node as Record<string, unknown>)?.[key], document);
      expect(target, path).toBeDefined();
    }
    expect(JSON.stringify(document.components.schemas.SinglePassport)).toContain("#/components/schemas/PassportDetail");
  });

  test("has examples that match their schemas", () => {
    expect(Compile(PassportList).Errors(EXAMPLES.list)).toEqual([]);
    expect(Compile(SinglePassport).Errors(EXAMPLES.single)).toEqual([]);
    expect(Compile(PassportCredentials).Errors(EXAMPLES.credentials)).toEqual([]);
  });
});
