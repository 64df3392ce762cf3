import type { OpenApi } from "./openapi.ts";

export type ErrorEntry = { status: string; code: string; meaning: string; body: string };
export type HeaderEntry = { name: string; on: string; meaning: string; example: string };

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

/** Which answers carry a header is read from the responses, so that it cannot differ from them. */
export function describeHeaders({ paths, components }: OpenApi): HeaderEntry[] {
  const found = Object.values(paths).flatMap(({ get }) => Object.entries(get.responses));
  const responses = new Map([
    ...found.filter(([, { $ref }]) => $ref === undefined),
    ...Object.entries(components.responses),
  ]);
  return Object.entries(components.headers).map(([name, { description, example }]) => {
    const on = [...responses]
      .filter(([, { headers }]) => headers !== undefined && name in headers)
      .map(([status]) => status);
    return {
      name,
      on: on.length === responses.size ? "every answer" : on.join(", "),
      meaning: description,
      example,
    };
  });
}
