import { brief, type Clause, type Context, expectEach, expectStatus, Mismatch, Skipped } from "../clause.ts";
import type { HttpResponse } from "../client.ts";
import { BAD_KEY, CREDENTIALS, LIST, LONG_TARGET, parse, splitList, UNKNOWN_ID } from "../sample.ts";

const ENDPOINTS = [LIST, `${LIST}/${UNKNOWN_ID}`, CREDENTIALS];

/** The errors that a client can cause, by their expected code. */
async function requestErrors({ client, acceptsUnknownKeys }: Context): Promise<[string, HttpResponse][]> {
  const unauthorized = await client.requestWithoutKey(LIST, BAD_KEY);
  return [
    ["not_found", await client.request(`${LIST}/${UNKNOWN_ID}`)],
    ["method_not_allowed", await client.requestWithoutKey(LIST, {}, "DELETE")],
    ...(acceptsUnknownKeys ? [] : ([["unauthorized", unauthorized]] as [string, HttpResponse][])),
    ["unknown_filter", await client.request(`${LIST}?wallet=`)],
    ["bad_request", await client.requestWithoutKey(LIST, {}, "FETCH")],
    ["uri_too_long", await client.request(LONG_TARGET)],
  ];
}

/** Checks that the path returns the same body as the list. */
async function expectList({ client, sample }: Context, path: string): Promise<void> {
  const { status, body } = await client.request(path);
  if (status !== 200 || body !== sample.list.body)
    throw new Mismatch(`${path}: ${status}, another body`, "the body of the list");
}

export const PROTOCOL_CLAUSES: Clause[] = [
  {
    id: "key-optional",
    level: "spec",
    rule: "X-API-KEY is optional: every endpoint returns 200 or 401, with or without it.",
    why: "The specification defines only these two statuses.",
    check: async ({ client, sample }) => {
      for (const path of [LIST, CREDENTIALS, ...sample.people.slice(0, 1).map(({ id }) => `${LIST}/${id}`)]) {
        for (const headers of [{}, BAD_KEY]) {
          const { status } = await client.requestWithoutKey(path, headers);
          if (status !== 200 && status !== 401) throw new Mismatch(`${path}: ${status}`, "200 or 401");
        }
      }
      return "no key and an unknown key";
    },
  },
  {
    id: "bad-key",
    level: "credence",
    rule: "An invalid key is 401 with a WWW-Authenticate challenge on every endpoint.",
    why: "A caller must notice an invalid key.",
    needsUnknownKey: true,
    check: async ({ client, acceptsUnknownKeys }) => {
      if (acceptsUnknownKeys) return "200";
      for (const path of ENDPOINTS) {
        const response = await client.requestWithoutKey(path, BAD_KEY);
        expectStatus(response, 401, path);
        const challenge = response.headers["www-authenticate"] ?? "no WWW-Authenticate";
        if (!/header="X-API-KEY"/.test(challenge))
          throw new Mismatch(challenge, 'WWW-Authenticate: ApiKey realm="v1", header="X-API-KEY"');
      }
      return "401 with a challenge";
    },
  },
  {
    id: "error-shape",
    level: "credence",
    rule: "Every error is application/json with exactly the fields error and code.",
    why: "Clients parse these fields; an HTML page breaks them.",
    needsUnknownKey: true,
    check: async (context) => {
      const errors = await requestErrors(context);
      for (const [code, response] of errors) {
        const type = response.headers["content-type"] ?? "no content type";
        if (!/^application\/json\b/.test(type)) throw new Mismatch(`${code}: ${type}`, "application/json");
        const body = parse(response) ?? {};
        if (Object.keys(body).join() !== "error,code" || body.code !== code || typeof body.error !== "string")
          throw new Mismatch(`${response.status} ${brief(response.body)}`, `{"error": "…", "code": "${code}"}`);
      }
      return errors.map(([code]) => code).join(", ");
    },
  },
  {
    id: "errors-not-cached",
    level: "credence",
    rule: "Errors other than 404 are no-store.",
    why: "A cache must not repeat an error that no longer occurs.",
    needsUnknownKey: true,
    check: async (context) => {
      const errors = (await requestErrors(context)).filter(([code]) => code !== "not_found");
      expectEach(
        errors,
        ([, { headers }]) => /\bno-store\b/.test(headers["cache-control"] ?? ""),
        ([code, { headers }]) => `${code}: ${headers["cache-control"] ?? "no Cache-Control"}`,
        "no-store",
      );
      return errors.map(([code]) => code).join(", ");
    },
  },
  {
    id: "target-too-long",
    level: "credence",
    rule: "A request target over 8 KiB is 414.",
    why: "Long targets are rejected before they cause work.",
    check: async ({ client }) => {
      expectStatus(await client.request(LONG_TARGET), 414, "8.2 KB");
      return "414";
    },
  },
  {
    id: "other-methods",
    level: "credence",
    rule: "Other methods are 405 with Allow: GET, HEAD, OPTIONS.",
    why: "V1 is read-only.",
    check: async ({ client }) => {
      const methods = ["POST", "PUT", "PATCH", "DELETE"];
      for (const method of methods) {
        const response = await client.requestWithoutKey(LIST, {}, method);
        expectStatus(response, 405, method);
        const allowed = splitList(response.headers.allow).sort().join(", ");
        if (allowed !== "GET, HEAD, OPTIONS") throw new Mismatch(`${method}: Allow: ${allowed}`, "GET, HEAD, OPTIONS");
      }
      return methods.join(", ");
    },
  },
  {
    id: "method-before-key",
    level: "credence",
    rule: "A method that is not allowed is 405, even with an invalid key.",
    why: "The order of these checks is part of the contract.",
    check: async ({ client }) => {
      expectStatus(await client.requestWithoutKey(LIST, BAD_KEY, "DELETE"), 405, "DELETE with an invalid key");
      return "405";
    },
  },
  {
    id: "key-in-url",
    level: "credence",
    rule: "A key in the URL is an unknown parameter.",
    why: "URLs are written to logs, so keys in URLs must not work.",
    check: async (context) => {
      await expectList(context, `${LIST}?api_key=credence-conformance-not-a-key`);
      return "ignored";
    },
  },
  {
    id: "unknown-method",
    level: "credence",
    rule: "A method that is not defined by HTTP is 400.",
    why: "The request cannot be parsed.",
    check: async ({ client }) => {
      expectStatus(await client.requestWithoutKey(LIST, {}, "FETCH"), 400, "FETCH");
      return "400";
    },
  },
  {
    id: "head",
    level: "credence",
    rule: "HEAD has the status and headers of GET, and no body.",
    why: "Link checkers and caches use it.",
    check: async ({ client, sample }) => {
      const head = await client.request(LIST, {}, "HEAD");
      if (head.status !== 200 || head.body !== "")
        throw new Mismatch(`${head.status} with ${head.body.length} bytes`, "200 without body");
      // Shortly before the sunset, the ages in Cache-Control change every second.
      const comparable = ({ headers }: HttpResponse, name: string) =>
        name === "cache-control" ? headers[name]?.replaceAll(/\d+/g, "n") : headers[name];
      for (const name of ["content-type", "etag", "cache-control"]) {
        if (comparable(head, name) !== comparable(sample.list, name))
          throw new Mismatch(`${name}: ${head.headers[name]}`, String(sample.list.headers[name]));
      }
      return "200 without body";
    },
  },
  {
    id: "preflight",
    level: "credence",
    rule: "OPTIONS is 204 and allows pages of any origin to send X-API-KEY and the headers that old clients send beside it.",
    why: "Browsers send a preflight request before a request with a key, and fail if one header is not allowed.",
    check: async ({ client }) => {
      const preflight = { Origin: "https://app.example", "Access-Control-Request-Method": "GET" };
      const expected = [
        ...["x-api-key", "content-type", "accept", "if-none-match"],
        ...["authorization", "cache-control", "pragma", "x-requested-with"],
      ];
      for (const path of ENDPOINTS) {
        const response = await client.requestWithoutKey(path, preflight, "OPTIONS");
        expectStatus(response, 204, path);
        const allowed = splitList(response.headers["access-control-allow-headers"]?.toLowerCase());
        if (!expected.every((name) => allowed.includes(name)))
          throw new Mismatch(`allows ${allowed.join(", ") || "nothing"}`, expected.join(", "));
        if (!(Number(response.headers["access-control-max-age"]) > 0))
          throw new Mismatch("no Access-Control-Max-Age", "7200");
      }
      return "204 on every endpoint";
    },
  },
  {
    id: "unknown-parameters",
    level: "credence",
    rule: "Unknown parameters that cannot be meant as a filter are ignored.",
    why: "Clients and trackers add parameters.",
    check: async (context) => {
      await expectList(context, `${LIST}?utm_source=x&foo[bar]=1`);
      return "the same response";
    },
  },
  {
    id: "unknown-filter",
    level: "credence",
    rule: "A parameter that V1 does not have, and that can only be meant as a filter or one person, is 400 unknown_filter.",
    why: "Ignored, it gives the top of the list to a client that takes the first person for the one it asked about.",
    check: async ({ client }) => {
      const queries = [
        "filter[twitter]=a",
        "score_gte=80&sort=score",
        "passport_socials=farcaster:1",
        "user_id=",
        "id=1",
      ];
      for (const path of [...queries.map((query) => `${LIST}?${query}`), `${CREDENTIALS}?id=1`]) {
        const response = await client.request(path);
        expectStatus(response, 400, path);
        if (parse(response)?.code !== "unknown_filter")
          throw new Mismatch(`${path}: ${brief(response.body)}`, "unknown_filter");
      }
      return `400 for ${queries.length + 1} filters`;
    },
  },
  {
    id: "duplicate-parameter",
    level: "credence",
    rule: "The last value of a duplicate parameter is used.",
    why: "The result is predictable and never an error.",
    check: async ({ client, sample }) => {
      if (sample.listed.length < 2) throw new Skipped("fewer than two people are listed");
      const both = await client.request(`${LIST}?per_page=2&per_page=1`);
      const last = await client.request(`${LIST}?per_page=1`);
      if (both.body !== last.body) throw new Mismatch(`${both.status}, another body`, "the body for per_page=1");
      return "per_page=2&per_page=1 is per_page=1";
    },
  },
  {
    id: "slashes",
    level: "credence",
    rule: "Trailing and duplicate slashes are ignored, without a redirect.",
    why: "Clients do not send the key to the target of a redirect.",
    check: async (context) => {
      for (const path of [`${LIST}/`, LIST.replace("/v1/", "//v1//")]) await expectList(context, path);
      return "both";
    },
  },
];
