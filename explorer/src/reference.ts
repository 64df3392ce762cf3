import { dateInWords } from "./dates.ts";
import { describeErrors, describeHeaders, type ErrorEntry, type HeaderEntry } from "./describe-answers.ts";
import { keyParagraphs } from "./keys.ts";
import { type OpenApi, type Operation, type Parameter, referredName, type Schema } from "./openapi.ts";
import { printJson } from "./print-json.ts";
import { objectName, rangeInWords, typeInWords } from "./ranges.ts";
import { curl, exampleOf, type Snippet, snippetsOf } from "./snippets.ts";

/** What the operator has configured and the reference tells. */
export type Settings = {
  publicUrl: string;
  authMode: "optional" | "required" | "open";
  deprecatedAt: Date;
  sunsetAt: Date | null;
  successorUrl: string | null;
};

/** A parameter or a field. In texts, backticks mark code; nothing else is markup. */
export type Entry = {
  name: string;
  kind: string;
  /** The object whose fields it holds. */
  holds: { id: string; name: string } | null;
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
  snippets: Snippet[];
  answer: Entry[];
  example: string;
  errors: string[];
};
export type ObjectTable = { id: string; name: string; intro: string; fields: Entry[] };

/** The API reference as data: what the HTML page and the Markdown document both print. */
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

/** Where the fields of each schema are listed. A passport of the list has no field that a single one lacks. */
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
    intro: document.info.description,
    settings,
    deprecation: deprecationParagraphs(settings),
    endpoints: paths.map(([path, { get }]) => describeEndpoint(document, settings, path, get)),
    objects: OBJECTS.map((object) => describeObject(schemas, object)),
    keys: {
      paragraphs: keyParagraphs(settings.authMode),
      example: curl(`${settings.publicUrl}/api/v1/passports/1`, true),
    },
    // An open string in the schema, so that clients survive a new code; here the list is complete.
    errorFields: describeFields(schemas, "Error").map((field) =>
      field.name === "code" ? { ...field, range: "one of the codes below" } : field,
    ),
    errors: describeErrors(document),
    headers: describeHeaders(document),
  };
}

function deprecationParagraphs({ deprecatedAt, sunsetAt }: Settings): string[] {
  return [
    `V1 is deprecated as of ${dateInWords(deprecatedAt)}. It is unsupported and not updated, and its data may be out of date.`,
    sunsetAt === null
      ? "No date is set for its end. When one is, every answer carries it in the `Sunset` header."
      : `V1 ends on ${dateInWords(sunsetAt)}. From then on every call is answered with 410 and the code \`gone\`.`,
    "V1 is frozen: no field is ever added or removed.",
  ];
}

function describeEndpoint(document: OpenApi, settings: Settings, path: string, operation: Operation): Endpoint {
  // `listPassports` becomes "List passports" in the contents and `list-passports` in addresses.
  const words = operation.operationId.split(/(?=[A-Z])/).map((word) => word.toLowerCase());
  const answer = operation.responses["200"]?.content?.["application/json"];
  return {
    id: words.join("-"),
    name: words.join(" ").replace(/^[a-z]/, (letter) => letter.toUpperCase()),
    title: operation.summary,
    path,
    // What it says of deprecation is said once, for all of V1.
    paragraphs: operation.description.split("\n\n").filter((paragraph) => !paragraph.startsWith("Deprecated:")),
    parameters: operation.parameters.map(describeParameter),
    snippets: snippetsOf(path, operation, settings),
    answer: describeFields(document.components.schemas, referredName(answer?.schema ?? {}) ?? ""),
    example: printJson(answer?.example),
    errors: Object.keys(operation.responses).filter((status) => status >= "400"),
  };
}

function describeParameter(parameter: Parameter): Entry {
  const { name, schema, description, required } = parameter;
  const examples = parameter.examples
    ? Object.values(parameter.examples).map(({ value }) => value)
    : [exampleOf(parameter)];
  return {
    name,
    kind: `${parameter.in}, ${typeInWords(schema)}${required ? ", required" : ""}`,
    holds: null,
    meaning: description,
    range: rangeInWords(schema),
    examples: examples.map(String),
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
    const held = objectName(schema) ?? "";
    return {
      name: field,
      kind: typeInWords(schema),
      holds: OBJECTS.find((object) => object.schemas.some((schema) => schema === held)) ?? null,
      meaning: schema.description ?? schemas[held]?.description ?? "",
      range: rangeInWords(schema),
      examples: (schema.examples ?? []).map((example) => printJson(example)),
    };
  });
}
