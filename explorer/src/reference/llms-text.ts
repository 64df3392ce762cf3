import type { Reference } from "./reference.ts";

/** A summary for language models, in the format of llmstxt.org. */
export function llmsText({ title, intro, settings, deprecation, endpoints }: Reference): string {
  const { publicUrl, successorUrl } = settings;
  return `# ${title}

> ${intro}

${deprecation.join(" ")}${successorUrl === null ? "" : ` Its successor is ${successorUrl}.`} Do not use it for new projects.

${endpoints.map(({ path, title }) => `- \`GET ${publicUrl}${path}\`: ${title}`).join("\n")}

## Documentation

- [API reference](${publicUrl}/docs.md): every parameter, field, error and header, with examples
- [OpenAPI document](${publicUrl}/openapi.json): the same in machine-readable form, OpenAPI 3.1
`;
}
