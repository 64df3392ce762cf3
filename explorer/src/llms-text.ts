import type { Reference } from "./reference.ts";

/** A short text for language models, in the form of llmstxt.org: what this API is, and where to read on. */
export function llmsText({ title, intro, settings, deprecation, endpoints }: Reference): string {
  const { publicUrl, successorUrl } = settings;
  return `# ${title}

> ${intro}

${deprecation.join(" ")}${successorUrl === null ? "" : ` Its successor is ${successorUrl}.`} Do not build anything new on it.

${endpoints.map(({ path, title }) => `- \`GET ${publicUrl}${path}\`: ${title}`).join("\n")}

## Documentation

- [API reference](${publicUrl}/docs.md): every parameter, field, error and header, with examples
- [OpenAPI document](${publicUrl}/openapi.json): the same for programs, OpenAPI 3.1
`;
}
