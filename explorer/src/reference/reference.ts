import { formatBrownout, formatDate } from "../dates.ts";
import { describeOtherPaths, type Settings } from "../settings.ts";
import { curl } from "../site-links.ts";
import { describeErrors, describeHeaders, type ErrorEntry, type HeaderEntry } from "./describe-responses.ts";
import { type OpenApi, type Operation, type Parameter, referredName, type Schema } from "./openapi.ts";
import { describeRange, describeType, objectName } from "./ranges.ts";
import { examplesOf, exampleUrl, type Snippet, snippetsOf } from "./snippets.ts";

/** A parameter or a field. In its texts, backticks mark code; there is no other markup. */
export type Entry = {
  name: string;
  kind: string;
  /** The table that lists the fields of its value. */
  object: { id: string; name: string } | null;
  meaning: string;
  range: string | null;
  examples: string[];
};
export type Endpoint = {
  id: string;
  name: string;
  title: string;
  path: string;
  paragraphs: string[];
  parameters: Entry[];
  /** A request with the examples of the parameters. */
  exampleUrl: string;
  snippets: Snippet[];
  response: Entry[];
  example: string;
  errors: string[];
};
export type ObjectTable = { id: string; name: string; intro: string; fields: Entry[] };

/** The content of the API reference, for the HTML page and the Markdown document. */
export type Reference = {
  title: string;
  intro: string;
  settings: Settings;
  deprecation: string[];
  endpoints: Endpoint[];
  objects: ObjectTable[];
  keys: { paragraphs: string[]; example: string };
  errorFields: Entry[];
  errors: ErrorEntry[];
  headers: HeaderEntry[];
};

/** The tables of fields. Every field of `Passport` is also a field of `PassportDetail`. */
const OBJECTS = [
  { id: "passport", name: "Passport", schemas: ["PassportDetail", "Passport"] },
  { id: "profile", name: "Profile", schemas: ["PassportProfile"] },
  { id: "social-profile", name: "Social profile", schemas: ["PassportSocial"] },
  { id: "credential", name: "Credential", schemas: ["Credential"] },
  { id: "pagination", name: "Pagination", schemas: ["Pagination"] },
] as const;

export function describeApi(document: OpenApi, settings: Settings): Reference {
  const { schemas } = document.components;
  const paths = Object.entries(document.paths);
  return {
    title: document.info.title,
    intro: [document.info.description, describeOtherPaths(settings) ?? []].flat().join(" "),
    settings,
    deprecation: deprecationParagraphs(settings),
    endpoints: paths.map(([path, { get }]) => describeEndpoint(document, settings, path, get)),
    objects: OBJECTS.map((object) => describeObject(schemas, object)),
    keys: {
      paragraphs: keyParagraphs(settings.authMode),
      example: curl(`${settings.publicUrl}/api/v1/passports/1`, true),
    },
    // The schema allows any string so that clients accept new codes. The reference lists all codes.
    errorFields: describeFields(schemas, "Error").map((field) =>
      field.name === "code" ? { ...field, range: "one of the codes below" } : field,
    ),
    errors: describeErrors(document),
    headers: describeHeaders(document, settings),
  };
}

function deprecationParagraphs({ deprecatedAt, sunsetAt, brownouts }: Settings): string[] {
  return [
    `V1 is deprecated as of ${formatDate(deprecatedAt)}. It is unsupported and not updated, and its data may be out of date.`,
    sunsetAt === null
      ? "No sunset date is set. Once it is set, every response has a `Sunset` header."
      : `V1 ends on ${formatDate(sunsetAt)}. From then on, every request gets 410 with the code \`gone\`.`,
    ...(brownouts.length === 0
      ? []
      : [
          `Before that, V1 is switched off for ${brownouts.length === 1 ? "a limited time" : `a limited time, ${brownouts.length} times`}: ${brownouts.map(formatBrownout).join("; ")}. In these brownouts every request gets 410 with the code \`brownout\`.`,
        ]),
    "V1 is frozen: no field is ever added or removed.",
  ];
}

function describeEndpoint(document: OpenApi, settings: Settings, path: string, operation: Operation): Endpoint {
  // `listPassports` becomes "List passports" in the table of contents and `list-passports` in URLs.
  const words = operation.operationId.split(/(?=[A-Z])/).map((word) => word.toLowerCase());
  const content = operation.responses["200"]?.content?.["application/json"];
  return {
    id: words.join("-"),
    name: words.join(" ").replace(/^[a-z]/, (letter) => letter.toUpperCase()),
    title: operation.summary,
    path,
    // The reference has one section on the deprecation of all operations.
    paragraphs: operation.description.split("\n\n").filter((paragraph) => !paragraph.startsWith("Deprecated:")),
    parameters: operation.parameters.map(describeParameter),
    exampleUrl: exampleUrl(path, operation, settings),
    snippets: snippetsOf(path, operation, settings),
    response: describeFields(document.components.schemas, referredName(content?.schema ?? {}) ?? ""),
    example: printJson(content?.example),
    errors: Object.keys(operation.responses).filter((status) => status >= "400"),
  };
}

function describeParameter(parameter: Parameter): Entry {
  const { name, schema, description, required } = parameter;

  return {
    name,
    kind: `${parameter.in}, ${describeType(schema)}${required ? ", required" : ""}`,
    object: null,
    meaning: description,
    range: describeRange(schema),
    examples: examplesOf(parameter).map(String),
  };
}

function describeObject(
  schemas: Record<string, Schema>,
  { id, name, schemas: [whole, inList] }: (typeof OBJECTS)[number],
): ObjectTable {
  const listed = schemas[inList ?? whole]?.properties ?? {};
  const fields = describeFields(schemas, whole).map((field) =>
    field.name in listed ? field : { ...field, meaning: `${field.meaning} Not in the list.` },
  );
  return { id, name, intro: schemas[whole]?.description ?? "", fields };
}

function describeFields(schemas: Record<string, Schema>, name: string): Entry[] {
  return Object.entries(schemas[name]?.properties ?? {}).map(([field, schema]) => {
    const objectSchema = objectName(schema) ?? "";
    return {
      name: field,
      kind: describeType(schema),
      object: OBJECTS.find(({ schemas }) => schemas.some((schema) => schema === objectSchema)) ?? null,
      meaning: schema.description ?? schemas[objectSchema]?.description ?? "",
      range: describeRange(schema),
      examples: (schema.examples ?? []).map((example) => printJson(example)),
    };
  });
}

/** Prints indented JSON. An object or array that fits into `width` stays on one line. */
export function printJson(value: unknown, width = 72, indent = ""): string {
  const line = oneLine(value);
  if (typeof value !== "object" || value === null || indent.length + line.length <= width) return line;
  const childIndent = `${indent}  `;
  const items = Array.isArray(value)
    ? value.map((item) => printJson(item, width, childIndent))
    : Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${printJson(item, width, childIndent)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return `${open}\n${items.map((item) => childIndent + item).join(",\n")}\n${indent}${close}`;
}

function oneLine(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(oneLine).join(", ")}]`;
  const fields = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${oneLine(item)}`);
  return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
}

const KEY_HEADER = "in the header `X-API-KEY`";

/** The text on API keys, by the mode of the server. */
export function keyParagraphs(authMode: "optional" | "required" | "open"): string[] {
  const rule = {
    optional: `No key is needed. If you have a key, send it ${KEY_HEADER}. A malformed, unknown, expired or revoked key is rejected with 401; it is never treated as no key.`,
    required: `Every request needs a key, ${KEY_HEADER}. A request without a key, or with a malformed, unknown, expired or revoked key, is rejected with 401.`,
    open: `No key is needed. If you have a key, send it ${KEY_HEADER}. An unknown key counts as no key. A key of this server that is expired or revoked is rejected with 401.`,
  }[authMode];
  return [rule, "Do not put the key into the URL. It is ignored there, and URLs are written to logs."];
}
