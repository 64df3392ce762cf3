import type { Endpoint, Entry, Reference } from "./reference.ts";

/** The API reference as Markdown, with the same content as the page. */
export function referenceMarkdown(reference: Reference): string {
  const { successorUrl, publicUrl } = reference.settings;
  const blocks = [
    `# ${reference.title}`,
    reference.intro,
    `Every call is a GET and is answered in JSON. The address of this server is ${publicUrl}. The OpenAPI document is ${publicUrl}/openapi.json.`,
    "## Deprecation",
    ...reference.deprecation,
    ...(successorUrl === null ? [] : [`Its successor is ${successorUrl}.`]),
    ...reference.endpoints.flatMap(endpointBlocks),
    "## Fields",
    "Every field is always present, in the order shown. Scores are in points.",
    ...reference.objects.flatMap(({ name, intro, fields }) => [
      `### ${name}`,
      intro,
      entryTable(["Field", "Type", "Meaning", "Range", "Examples"], fields),
    ]),
    "## Keys",
    ...reference.keys.paragraphs,
    fence("sh", reference.keys.example),
    "## Errors",
    "Every error has the same shape: a sentence for people and a stable word for programs, as `application/json`.",
    entryTable(["Field", "Type", "Meaning", "Range", "Examples"], reference.errorFields),
    table(
      ["Status", "`code`", "Meaning", "Example"],
      reference.errors.map(({ status, code, meaning, body }) => [status, `\`${code}\``, meaning, `\`${body}\``]),
    ),
    "## Headers",
    "What answers carry beside their body.",
    table(
      ["Header", "On", "Meaning", "Example"],
      reference.headers.map(({ name, on, meaning, example }) => [`\`${name}\``, on, meaning, `\`${example}\``]),
    ),
  ];
  return `${blocks.join("\n\n")}\n`;
}

function endpointBlocks({
  title,
  path,
  paragraphs,
  parameters,
  snippets,
  answer,
  example,
  errors,
}: Endpoint): string[] {
  return [
    `## ${title}`,
    `\`GET ${path}\` (deprecated)`,
    ...paragraphs,
    "### Parameters",
    entryTable(["Name", "In, type", "Meaning", "Range", "Examples"], parameters),
    "### Call",
    ...snippets.map(({ language, code }) => fence(language, code)),
    "### Answer",
    entryTable(["Field", "Type", "Meaning", "Range", "Examples"], answer),
    fence("json", example),
    `Errors: ${errors.join(", ")}.`,
  ];
}

const fence = (language: string, code: string): string => `\`\`\`${language}\n${code}\n\`\`\``;

function entryTable(columns: readonly string[], entries: readonly Entry[]): string {
  const rows = entries.map(({ name, kind, meaning, range, examples, holds }) => [
    `\`${name}\``,
    kind,
    holds === null ? meaning : `${meaning} Fields: ${holds.name}.`,
    range ?? "",
    examples.map((example) => `\`${example}\``).join(", "),
  ]);
  return table(columns, rows);
}

function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(columns), `|${"---|".repeat(columns.length)}`, ...rows.map(line)].join("\n");
}
