import committed from "@credence/contract/openapi.json" with { type: "json" };

// The parts of an OpenAPI 3.1 document that the reference uses.
export type Schema = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  default?: unknown;
  format?: string;
  examples?: unknown[];
  items?: Schema;
  properties?: Record<string, Schema>;
};
export type Parameter = {
  name: string;
  in: string;
  required: boolean;
  description: string;
  schema: Schema;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
};
type ErrorExample = { description: string; value: { error: string; code: string } };
export type Response = {
  $ref?: string;
  description?: string;
  headers?: Record<string, unknown>;
  content?: { "application/json": { schema: Schema; example?: unknown; examples?: Record<string, ErrorExample> } };
};
export type Operation = {
  operationId: string;
  summary: string;
  description: string;
  parameters: Parameter[];
  responses: Record<string, Response>;
};
export type OpenApi = {
  info: { title: string; description: string };
  paths: Record<string, { get: Operation }>;
  components: {
    schemas: Record<string, Schema>;
    headers: Record<string, { description: string; example: string }>;
    responses: Record<string, Response>;
    securitySchemes: { ApiKey: { name: string; description: string } };
  };
};

export const OPENAPI = committed as unknown as OpenApi;

/** The name at the end of a reference such as `#/components/schemas/Passport`. */
export const referredName = ({ $ref }: { $ref?: string }): string | null => $ref?.split("/").at(-1) ?? null;
