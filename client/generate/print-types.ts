import openapi from "@credence/contract/openapi.json" with { type: "json" };

type Schema = {
  type?: string | string[];
  $ref?: string;
  description?: string;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
};

const SCALARS: Readonly<Record<string, string>> = {
  string: "string",
  number: "number",
  integer: "number",
  boolean: "boolean",
  null: "null",
};

/** The TypeScript of client/src/v1.ts: the schemas as types, and the errors with their statuses. */
export function printTypes(): string {
  const schemas: Record<string, Schema> = openapi.components.schemas;
  return [
    "// Written by `npm run client-types` from contract/openapi.json. Do not edit.\n",
    ...Object.entries(schemas)
      .filter(([name]) => name !== "Error")
      .map(([name, schema]) => `${comment(schema, "")}export type ${name} = ${printType(schema, name)};\n`),
    printErrors(),
  ].join("\n");
}

function printType(schema: Schema, path: string): string {
  if (schema.$ref !== undefined) return schema.$ref.replace("#/components/schemas/", "");
  if (schema.type === "array" && schema.items !== undefined) return `${printType(schema.items, path)}[]`;
  if (schema.properties !== undefined) return printObject(schema.properties, schema.required ?? [], path);
  const names = [schema.type ?? []].flat().map((name) => SCALARS[name]);
  if (names.length === 0 || names.includes(undefined)) throw new Error(`${path}: no TypeScript for this schema.`);
  return names.join(" | ");
}

function printObject(properties: Record<string, Schema>, required: readonly string[], path: string): string {
  const fields = Object.entries(properties).map(([name, schema]) => {
    if (!required.includes(name)) throw new Error(`${path}.${name} is optional, but V1 always sends every field.`);
    return `${comment(schema, "  ")}  ${name}: ${printType(schema, `${path}.${name}`)};\n`;
  });
  return `{\n${fields.join("")}}`;
}

/** The description as a comment, wrapped like all comments of the repository. */
function comment({ description }: Schema, indent: string): string {
  if (description === undefined) return "";
  const lines = [""];
  for (const word of description.split(/\s+/)) {
    const line = lines.at(-1) ?? "";
    if (line === "") lines[lines.length - 1] = word;
    else if (`${indent} * ${line} ${word}`.length > 100) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  if (lines.length === 1 && `${indent}/** ${lines[0]} */`.length <= 100) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join("")}${indent} */\n`;
}

function printErrors(): string {
  const statuses = Object.entries(openapi.components.responses).flatMap(([status, response]) =>
    Object.keys(response.content["application/json"].examples).map((code) => `  ${code}: ${status},\n`),
  );
  return `/** The status of every error of V1, by its code. The set of codes is closed. */
export const STATUSES = {\n${statuses.join("")}} as const;

export type ErrorCode = keyof typeof STATUSES;
`;
}
