import type { TSchema } from "typebox";
import { ErrorBody, Pagination, PassportCredentials, PassportList, SinglePassport } from "./answers.ts";
import { Credential } from "./credential.ts";
import { ERROR_MEANINGS } from "./error-meanings.ts";
import { ERRORS, type ErrorCode, errorBody } from "./errors.ts";
import { EXAMPLES } from "./examples.ts";
import { HEADERS, type HeaderName, ON_ERROR, ON_EVERY_ANSWER, ON_FOUND } from "./headers.ts";
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

/** Copies a schema, putting a reference wherever another named schema stands. */
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

/** One response component per status: two codes of 410 share one, with an example each. */
function errorResponses() {
  const byStatus = Map.groupBy(Object.keys(ERRORS) as ErrorCode[], (code) => ERRORS[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      String(status),
      {
        description: codes.map((code) => `\`${code}\`: ${ERRORS[code].error}`).join(" "),
        headers: headerReferences([
          ...ON_EVERY_ANSWER,
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

function responses(answer: string, example: unknown, errors: number[]) {
  return {
    "200": {
      description: "Found.",
      headers: headerReferences([...ON_EVERY_ANSWER, ...ON_FOUND]),
      content: { "application/json": { schema: { $ref: `#/components/schemas/${answer}` }, example } },
    },
    "304": {
      description: "Not modified since the version named in `If-None-Match`.",
      headers: headerReferences([...ON_EVERY_ANSWER, ...ON_FOUND]),
    },
    ...Object.fromEntries(errors.map((status) => [String(status), { $ref: `#/components/responses/${status}` }])),
  };
}

const everywhere = [400, 401, 405, 410, 414, 429, 431, 500, 503];

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

const REFERENCE =
  "A passport id (decimal digits) or a wallet address. An EVM address (`0x` and 40 hexadecimal digits) may be in any case. A base58 address must match exactly. A bech32 address may be all in lower case or all in upper case; lower case is its canonical form.";

const listPassports = operation(
  "listPassports",
  "List passports sorted by score",
  "Highest score first, null scores last, ties by ascending `passport_id`. The list is a snapshot: a page and its `total` always come from the same one. A page past the end is empty.",
  {
    parameters: [
      query(
        "keyword",
        "A part of the display name, ignoring case, accents and compatibility forms. Spaces around it do not count; blank means everyone; more than 100 characters match nobody. `%`, `_` and `\\` are plain characters. It never matches wallets. At least the first 100 code points of a folded name are searched. Results can be reached up to the 10,000th match: `total` stays exact, `last_page` is the last page that can be reached.",
        { type: "string" },
        "ada",
      ),
      query(
        "page",
        "The number of the page, from 1. A value that is not such a number means 1.",
        { type: "integer", minimum: 1, default: 1 },
        1,
      ),
      query(
        "per_page",
        "How many passports a page holds. A number outside the range is brought into it.",
        { type: "integer", minimum: 1, maximum: 100, default: 25 },
        10,
      ),
    ],
    responses: responses("PassportList", EXAMPLES.list, everywhere),
  },
);

const getPassport = operation(
  "getPassport",
  "Get a passport by wallet or passport id",
  "A wallet leads to the person who lists it as main or verified. An id that is unknown, malformed, hidden or erased gets the same 404.",
  {
    parameters: [
      {
        name: "id",
        in: "path",
        required: true,
        description: `${REFERENCE} Nothing is rounded, trimmed or coerced.`,
        schema: { type: "string" },
        examples: {
          passport_id: { value: "1" },
          wallet: { value: "0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1" },
        },
      },
    ],
    responses: responses("SinglePassport", EXAMPLES.single, [...everywhere, 404].sort()),
  },
);

const listPassportCredentials = operation(
  "listPassportCredentials",
  "Get the credentials of a passport",
  "All of them, those with 0 points too: by category, then descending score, then id.",
  {
    parameters: [
      query(
        "passport_id",
        `${REFERENCE} Missing, malformed or unknown, it matches nothing: the answer is 200 with an empty list.`,
        { type: "string" },
        "1",
      ),
    ],
    responses: responses("PassportCredentials", EXAMPLES.credentials, everywhere),
  },
);

/** The whole OpenAPI 3.1 document, made from the schemas. `contract/openapi.json` is this, printed. */
export function openapiDocument() {
  return {
    openapi: "3.1.1",
    info: {
      title: "Passport and Credentials API (V1)",
      version: "1.0.0",
      description:
        "Read-only access to scored passports and their credentials. Every operation is deprecated: unsupported, not updated, and the data may be out of date. Errors have one shape, `{error, code}`.",
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
