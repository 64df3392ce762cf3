import type { Endpoint, Entry, Reference } from "./reference.ts";

const FIELD_COLUMNS = ["Field", "Type", "Meaning", "Range", "Examples"];

/** The API reference as Markdown, with the same content as the page. */
export function referenceMarkdown(reference: Reference): string {
  const { successorUrl, publicUrl } = reference.settings;
  const blocks = [
    `# ${reference.title}`,
    reference.intro,
    `Every request is a GET and every response is JSON. The base URL of this server is ${publicUrl}. The OpenAPI document is ${publicUrl}/openapi.json.`,
    "## Deprecation",
    ...reference.deprecation,
    ...(successorUrl === null ? [] : [`Its successor is ${successorUrl}.`]),
    ...reference.endpoints.flatMap(endpointBlocks),
    "## Fields",
    "A field is always present unless it says otherwise. The order is that of the table. Scores are in points.",
    ...reference.objects.flatMap(({ name, intro, fields }) => [
      `### ${name}`,
      intro,
      entryTable(FIELD_COLUMNS, fields),
    ]),
    "## Keys",
    ...reference.keys.paragraphs,
    fence("sh", reference.keys.example),
    "## Errors",
    "Every error has the same body, as `application/json`.",
    entryTable(FIELD_COLUMNS, reference.errorFields),
    table(
      ["Status", "`code`", "Meaning", "Example"],
      reference.errors.map(({ status, code, meaning, body }) => [status, `\`${code}\``, meaning, `\`${body}\``]),
    ),
    "## Headers",
    table(
      ["Response header", "Statuses", "Meaning", "Example"],
      reference.headers.map(({ name, statuses, meaning, example }) => [
        `\`${name}\``,
        statuses,
        meaning,
        `\`${example}\``,
      ]),
    ),
  ];
  return `${blocks.join("\n\n")}\n`;
}

const endpointBlocks = (endpoint: Endpoint): string[] => [
  `## ${endpoint.title}`,
  `\`GET ${endpoint.path}\` (deprecated)`,
  ...endpoint.paragraphs,
  "### Parameters",
  entryTable(["Name", "In, type", "Meaning", "Range", "Examples"], endpoint.parameters),
  "### Request",
  ...endpoint.snippets.map(({ language, code }) => fence(language, code)),
  "### Response",
  entryTable(FIELD_COLUMNS, endpoint.response),
  fence("json", endpoint.example),
  `Errors: ${endpoint.errors.join(", ")}.`,
];

const fence = (language: string, code: string): string => `\`\`\`${language}\n${code}\n\`\`\``;

function entryTable(columns: readonly string[], entries: readonly Entry[]): string {
  const rows = entries.map(({ name, kind, meaning, range, examples, object }) => [
    `\`${name}\``,
    kind,
    object === null ? meaning : `${meaning} Fields: ${object.name}.`,
    range ?? "",
    examples.map((example) => `\`${example}\``).join(", "),
  ]);
  return table(columns, rows);
}

function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(columns), `|${"---|".repeat(columns.length)}`, ...rows.map(line)].join("\n");
}
