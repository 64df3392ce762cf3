import { expect, test } from "vitest";
import { openapiDocument } from "./openapi.ts";
import { snapshotSchema } from "./snapshot.ts";

type Schema = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  examples?: unknown[];
  properties?: Record<string, Schema>;
  items?: Schema;
};

/** Every field of a schema and of its nested schemas, with its path. */
function listFields(schema: Schema, path: string): [string, Schema][] {
  const properties = Object.entries(schema.properties ?? {}).map(
    ([name, field]) => [`${path}.${name}`, field] as const,
  );
  const items = schema.items ? [[`${path}[]`, schema.items] as const] : [];
  return [...properties, ...items].flatMap(([name, field]) => [[name, field], ...listFields(field, name)]);
}

const document = openapiDocument();
const schemas = Object.entries(document.components.schemas) as [string, Schema][];
const operations = Object.values(document.paths).map(({ get }) => get as typeof get & { parameters: Schema[] });

test("every schema and every field of openapi.json has a description", () => {
  for (const [name, schema] of schemas) expect(schema.description, name).toMatch(/\.$/);
  for (const [path, field] of schemas.flatMap(([name, schema]) => listFields(schema, name)))
    if (field.$ref === undefined) expect(field.description, path).toMatch(/\.$/);
});

test("every field of openapi.json that holds no object has an example", () => {
  const fields = schemas.flatMap(([name, schema]) =>
    Object.entries(schema.properties ?? {}).map(([field, value]) => ({ path: `${name}.${field}`, value })),
  );
  for (const { path, value } of fields)
    if (value.$ref === undefined && value.items?.$ref === undefined) expect(value.examples, path).not.toHaveLength(0);
});

test("every parameter, header and error has a description and an example", () => {
  for (const parameter of operations.flatMap((operation) => operation.parameters)) {
    expect(parameter.description).toMatch(/\.$/);
    expect("example" in parameter || "examples" in parameter).toBe(true);
  }
  for (const header of Object.values(document.components.headers)) {
    expect(header.description).toMatch(/\.$/);
    expect(header.example).not.toBe("");
  }
  for (const response of Object.values(document.components.responses)) {
    const examples = Object.values(response.content["application/json"].examples) as { description: string }[];
    for (const { description } of examples) expect(description).toMatch(/\.$/);
  }
});

test("every field of snapshot.schema.json has a description", () => {
  const fields = Object.entries(snapshotSchema().$defs).flatMap(([name, schema]) => listFields(schema as Schema, name));
  for (const [path, field] of fields) expect(field.description, path).toMatch(/\.$/);
});
