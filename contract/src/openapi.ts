import type { TSchema } from "typebox";
import { ErrorBody, Pagination, PassportCredentials, PassportList, SinglePassport } from "./answers.ts";
import { Credential } from "./credential.ts";
import { ERROR_MEANINGS, ERRORS, type ErrorCode, errorBody } from "./errors.ts";
import { EXAMPLES } from "./examples.ts";
import { HEADERS, type HeaderName, ON_ERROR, ON_EVERY_RESPONSE, ON_FOUND } from "./headers.ts";
import { Passport, PassportDetail, PassportProfile, PassportSocial } from "./passport.ts";

const SCHEMAS: Record<string, TSchema> = {
  Passport,
  PassportDetail,
  PassportProfile,
  PassportSocial,
  Pagination,
  Credential,
  PassportList,
  SinglePassport,
  PassportCredentials,
  Error: ErrorBody,
};

/** Copies a schema and replaces every nested named schema by a reference. */
function withReferences(schema: unknown, self: string): unknown {
  if (Array.isArray(schema)) return schema.map((item) => withReferences(item, self));
  if (typeof schema !== "object" || schema === null) return schema;
  for (const [name, named] of Object.entries(SCHEMAS)) {
    if (named === schema && name !== self) return { $ref: `#/components/schemas/${name}` };
  }
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, withReferences(value, self)]));
}

const headerReferences = (names: readonly HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** One response component per status. The two codes of 410 share one, with an example each. */
function errorResponses() {
  const byStatus = Map.groupBy(Object.keys(ERRORS) as ErrorCode[], (code) => ERRORS[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      String(status),
      {
        description: codes.map((code) => `\`${code}\`: ${ERRORS[code].error}`).join(" "),
        headers: headerReferences([
          ...ON_EVERY_RESPONSE,
          "Cache-Control",
          ...codes.flatMap((code) => ON_ERROR[code] ?? []),
        ]),
        content: {
          "application/json": {
            schema: { $ref: "#/components/schemas/Error" },
            examples: Object.fromEntries(
              codes.map((code) => [code, { description: ERROR_MEANINGS[code], value: JSON.parse(errorBody(code)) }]),
            ),
          },
        },
      },
    ]),
  );
}

function responses(schema: string, example: unknown, errors: number[]) {
  const headers = headerReferences([...ON_EVERY_RESPONSE, ...ON_FOUND]);
  return {
    "200": {
      description: "Found.",
      headers,
      content: { "application/json": { schema: { $ref: `#/components/schemas/${schema}` }, example } },
    },
    "304": { description: "The body still matches the tag in `If-None-Match`.", headers },
    ...Object.fromEntries(errors.map((status) => [String(status), { $ref: `#/components/responses/${status}` }])),
  };
}

const COMMON_ERRORS = [400, 401, 405, 410, 414, 429, 431, 500, 503];

const query = (name: string, description: string, schema: object, example: unknown) => ({
  name,
  in: "query",
  required: false,
  description,
  schema,
  example,
});

const operation = (operationId: string, summary: string, description: string, rest: object) => ({
  operationId,
  summary,
  description: `${description}\n\nDeprecated: unsupported, not updated, and the data may be out of date.`,
  deprecated: true,
  tags: ["V1"],
  security: [{}, { ApiKey: [] }],
  ...rest,
});

const ID_OR_WALLET =
  "A passport id (decimal digits) or a wallet address. An EVM address (`0x` and 40 hexadecimal digits) may be in any case. A base58 address must match exactly. A bech32 address may be all lower case or all upper case; lower case is the canonical form.";

const listPassports = operation(
  "listPassports",
  "List passports sorted by score",
  "The order is descending score, null scores last, then ascending `passport_id`. The list is a snapshot: a page and its `total` always come from the same snapshot. A page past the end is empty.",
  {
    parameters: [
      query(
        "keyword",
        "A substring of the display name. Case, accents, compatibility forms and surrounding spaces are ignored. A blank keyword matches every passport; one of more than 100 characters matches none. `%`, `_` and `\\` are ordinary characters. Wallets are not searched. Of a long name, at least the first 100 characters are searched. Only the first 10,000 matches can be requested: `total` stays exact, `last_page` is the last page that can be requested.",
        { type: "string" },
        "ada",
      ),
      query(
        "page",
        "The page number, from 1. Any other value means 1.",
        { type: "integer", minimum: 1, default: 1 },
        1,
      ),
      query(
        "per_page",
        "The maximum number of passports on a page. A number outside the range is set to the nearest limit.",
        { type: "integer", minimum: 1, maximum: 100, default: 25 },
        10,
      ),
    ],
    responses: responses("PassportList", EXAMPLES.list, COMMON_ERRORS),
  },
);

const getPassport = operation(
  "getPassport",
  "Get a passport by wallet or passport id",
  "A wallet address finds the passport that lists it as main or verified wallet. Unknown, malformed, hidden and erased ids get the same 404.",
  {
    parameters: [
      {
        name: "id",
        in: "path",
        required: true,
        description: `${ID_OR_WALLET} The value is not rounded, trimmed or coerced.`,
        schema: { type: "string" },
        examples: {
          passport_id: { value: "1" },
          wallet: { value: "0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1" },
        },
      },
    ],
    responses: responses("SinglePassport", EXAMPLES.single, [...COMMON_ERRORS, 404].sort()),
  },
);

const listPassportCredentials = operation(
  "listPassportCredentials",
  "Get the credentials of a passport",
  "All credentials, including those with 0 points. The order is category, then descending score, then id.",
  {
    parameters: [
      query(
        "passport_id",
        `${ID_OR_WALLET} A missing, malformed or unknown value matches nothing: the response is 200 with an empty list.`,
        { type: "string" },
        "1",
      ),
    ],
    responses: responses("PassportCredentials", EXAMPLES.credentials, COMMON_ERRORS),
  },
);

/** Builds the OpenAPI 3.1 document. `contract/openapi.json` is its printed form. */
export function openapiDocument() {
  return {
    openapi: "3.1.1",
    info: {
      title: "Passport and Credentials API (V1)",
      version: "1.0.0",
      description:
        "Read-only access to scored passports and their credentials. Every operation is deprecated: unsupported, not updated, and the data may be out of date. Every error body is `{error, code}`.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    tags: [{ name: "V1", description: "Deprecated and frozen: no field will be added or removed." }],
    paths: {
      "/api/v1/passports": { get: listPassports },
      "/api/v1/passports/{id}": { get: getPassport },
      "/api/v1/passport_credentials": { get: listPassportCredentials },
    },
    components: {
      schemas: Object.fromEntries(
        Object.entries(SCHEMAS).map(([name, schema]) => [name, withReferences(schema, name)]),
      ),
      headers: HEADERS,
      responses: errorResponses(),
      securitySchemes: {
        ApiKey: {
          type: "apiKey",
          in: "header",
          name: "X-API-KEY",
          description:
            "Optional unless the operator requires it. A key that is malformed, unknown, expired or revoked is refused with 401.",
        },
      },
    },
  };
}
