import type { Settings } from "../settings.ts";
import type { OpenApi } from "./openapi.ts";

export type ErrorEntry = { status: string; code: string; meaning: string; body: string };
export type HeaderEntry = { name: string; statuses: string; meaning: string; example: string };

export function describeErrors(document: OpenApi): ErrorEntry[] {
  return Object.entries(document.components.responses).flatMap(([status, response]) =>
    Object.entries(response.content?.["application/json"].examples ?? {}).map(([code, { description, value }]) => ({
      status,
      code,
      meaning: description,
      body: JSON.stringify(value),
    })),
  );
}

/** The statuses of a header are read from the responses of the document. The example of an end that is set is that end. */
export function describeHeaders({ paths, components }: OpenApi, { sunsetAt }: Settings): HeaderEntry[] {
  const inline = Object.values(paths)
    .flatMap(({ get }) => Object.entries(get.responses))
    .filter(([, { $ref }]) => $ref === undefined);
  const responses = new Map([...inline, ...Object.entries(components.responses)]);
  return Object.entries(components.headers).map(([name, { description, example }]) => {
    const statuses = [...responses].filter(([, { headers }]) => name in (headers ?? {})).map(([status]) => status);
    return {
      name,
      statuses: statuses.length === responses.size ? "every response" : statuses.join(", "),
      meaning: description,
      example: name === "Sunset" && sunsetAt !== null ? sunsetAt.toUTCString() : example,
    };
  });
}
