import { type Clause, type Context, expectEach, expectStatus, Mismatch } from "../clause.ts";
import type { HttpResponse } from "../client.ts";
import { BAD_KEY, CREDENTIALS, LIST, LONG_TARGET, objectOf, splitList, UNKNOWN_ID } from "../sample.ts";

/** A response for each kind of result: 200, 304, 404 and other errors. */
async function allKinds({ client, sample }: Context): Promise<HttpResponse[]> {
  const { etag } = sample.list.headers;
  return [
    sample.list,
    ...sample.people.slice(0, 1).flatMap(({ single, credentials }) => [single, credentials]),
    ...(etag === undefined ? [] : [await client.request(LIST, { "If-None-Match": etag })]),
    await client.request(`${LIST}/${UNKNOWN_ID}`),
    await client.requestWithoutKey(CREDENTIALS, {}, "DELETE"),
    await client.requestWithoutKey(LIST, BAD_KEY),
    await client.request(LONG_TARGET),
  ];
}

async function found({ sample }: Context): Promise<HttpResponse[]> {
  return [sample.list, ...sample.people.flatMap(({ single, credentials }) => [single, credentials])];
}

/** A check of one header. `isValid` gets the value, or an empty string if the header is missing. */
const checkHeader =
  (
    responsesOf: (context: Context) => Promise<HttpResponse[]>,
    name: string,
    isValid: (value: string, response: HttpResponse) => boolean,
    expected: string,
  ) =>
  async (context: Context): Promise<string> => {
    const responses = await responsesOf(context);
    expectEach(
      responses,
      (response) => isValid(response.headers[name] ?? "", response),
      ({ status, headers }) => `${status} with ${name}: ${headers[name] ?? "nothing"}`,
      expected,
    );
    return `${responses.length} responses, ${responses[0]?.headers[name] ?? "none set"}`;
  };

/** The Unix seconds of a structured-field date, or NaN. */
const secondsOf = (deprecation: string): number => Number(/^@(-?\d+)$/.exec(deprecation)?.[1] ?? Number.NaN);

const EXPOSED = [
  "Deprecation",
  "Sunset",
  "Link",
  "ETag",
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "X-Request-Id",
];

export const HEADER_CLAUSES: Clause[] = [
  {
    id: "deprecation",
    level: "credence",
    rule: "Every response, including errors and 304, has a Deprecation date as in RFC 9745.",
    why: "Programs detect the deprecation by this header.",
    check: checkHeader(
      allKinds,
      "deprecation",
      (value) => Number.isInteger(secondsOf(value)),
      "Deprecation: @<unix seconds>",
    ),
  },
  {
    id: "deprecation-link",
    level: "credence",
    rule: 'Every response has a Link to the deprecation notice, with rel="deprecation" directly after the URL.',
    why: "A popular client library expects this form.",
    check: checkHeader(allKinds, "link", (value) => /<[^>]+>; rel="deprecation"/.test(value), '<…>; rel="deprecation"'),
  },
  {
    id: "sunset",
    level: "credence",
    rule: "Sunset, if set, is an HTTP date that is not before the deprecation date.",
    why: "Programs plan their migration by this date.",
    check: checkHeader(
      allKinds,
      "sunset",
      (value, { headers }) => {
        if (headers.sunset === undefined) return true;
        const date = new Date(value);
        return date.toUTCString() === value && date.getTime() / 1000 >= secondsOf(headers.deprecation ?? "");
      },
      "an HTTP date that is not before the deprecation date",
    ),
  },
  {
    id: "page-links",
    level: "credence",
    rule: "The list has links to its first and last page, and to the next page if there is one.",
    why: "Clients can read all pages without building URLs.",
    check: async ({ client }) => {
      const response = await client.request(`${LIST}?per_page=1`);
      const { last_page } = objectOf(response, "pagination");
      const expected = ["first", "last", ...(Number(last_page) > 1 ? ["next"] : [])];
      const missing = expected.filter((rel) => !(response.headers.link ?? "").includes(`rel="${rel}"`));
      if (missing.length > 0) throw new Mismatch(`no ${missing.join(", ")}`, expected.join(", "));
      return expected.join(", ");
    },
  },
  {
    id: "etag-weak",
    level: "credence",
    rule: "A 200 has a weak ETag.",
    why: "A strong ETag becomes wrong when a proxy compresses the body.",
    check: checkHeader(found, "etag", (value) => /^W\/"[^"]+"$/.test(value), 'W/"…"'),
  },
  {
    id: "not-modified",
    level: "credence",
    rule: "If-None-Match with the ETag, a list that contains it, or * is answered by 304 without body.",
    why: "Clients that poll do not transfer the body again.",
    check: async ({ client, sample }) => {
      const etag = sample.list.headers.etag ?? 'W/"none"';
      for (const value of [etag, `"other", ${etag}`, "*"]) {
        const response = await client.request(LIST, { "If-None-Match": value });
        expectStatus(response, 304, value);
        if (response.body !== "") throw new Mismatch(`${value}: 304 with body`, "304 without body");
      }
      const [person] = sample.people;
      if (person !== undefined) {
        const headers = { "If-None-Match": person.single.headers.etag ?? 'W/"none"' };
        expectStatus(await client.request(`${LIST}/${person.id}`, headers), 304, "a single passport");
      }
      expectStatus(await client.request(LIST, { "If-None-Match": '"other"' }), 200, "another tag");
      return "the ETag, a list, *";
    },
  },
  {
    id: "repeatable",
    level: "credence",
    rule: "Repeated requests return the same bytes and the same ETag.",
    why: "Caches depend on it.",
    check: async ({ client, sample }) => {
      const pairs: [HttpResponse, HttpResponse][] = [[sample.list, await client.request(`${LIST}?page=1`)]];
      const [person] = sample.people;
      if (person !== undefined) pairs.push([person.single, await client.request(`${LIST}/${person.id}?again`)]);
      expectEach(
        pairs,
        ([first, second]) => first.body === second.body && first.headers.etag === second.headers.etag,
        ([first, second]) => `${first.headers.etag}, then ${second.headers.etag}`,
        "the same bytes and ETag",
      );
      return `${pairs.length} responses`;
    },
  },
  {
    id: "cache-control",
    level: "credence",
    rule: "A 200 is cached for at most 60 seconds, a 404 for 30. With a key, a 200 is private and a 404 is no-store.",
    why: "A shared cache must not store a response to a request with a key.",
    check: async (context) => {
      const isValid = (value: string, scope: string, maxAge: number) =>
        new RegExp(`^${scope}\\b`).test(value) && Number(/max-age=(\d+)/.exec(value)?.[1] ?? Number.NaN) <= maxAge;
      const scope = context.hasKey ? "private" : "public";
      const name = "cache-control";
      const missing = async () => [await context.client.request(`${LIST}/${UNKNOWN_ID}`)];
      await (context.hasKey
        ? checkHeader(missing, name, (value) => /^no-store\b/.test(value), "no-store")
        : checkHeader(missing, name, (value) => isValid(value, "public", 30), "public, max-age up to 30"))(context);
      return checkHeader(found, name, (value) => isValid(value, scope, 60), `${scope}, max-age up to 60`)(context);
    },
  },
  {
    id: "rate-limit-policy",
    level: "credence",
    rule: "RateLimit-Policy, if set, has a name, a quota and a window, as in the IETF draft.",
    why: "Clients adapt to the limit before they are refused.",
    check: checkHeader(
      allKinds,
      "ratelimit-policy",
      (value, { headers }) => headers["ratelimit-policy"] === undefined || /^"[\w-]+";q=\d+;w=\d+$/.test(value),
      '"name";q=<number>;w=<seconds>',
    ),
  },
  {
    id: "rate-limit-shared",
    level: "credence",
    rule: "RateLimit, if set, has a remainder and a time. A response that a shared cache may store does not have it.",
    why: "A shared cache would send the remainder of one client to all clients.",
    check: checkHeader(
      allKinds,
      "ratelimit",
      (value, { headers }) => {
        if (headers.ratelimit === undefined) return true;
        return /^"[\w-]+";r=\d+;t=\d+$/.test(value) && !/\bpublic\b/.test(headers["cache-control"] ?? "");
      },
      '"name";r=<number>;t=<seconds>, and only on private responses',
    ),
  },
  {
    id: "vary",
    level: "credence",
    rule: "A 200 varies by Accept-Encoding and X-API-KEY.",
    why: "Otherwise a cache sends the response for one caller to another caller.",
    check: checkHeader(
      found,
      "vary",
      (value) => /accept-encoding/i.test(value) && /x-api-key/i.test(value),
      "Accept-Encoding, X-API-KEY",
    ),
  },
  {
    id: "cors",
    level: "credence",
    rule: "Pages of any origin may read every response, including errors.",
    why: "Otherwise a browser hides a 401 or 404 from the page.",
    check: checkHeader(allKinds, "access-control-allow-origin", (value) => value === "*", "*"),
  },
  {
    id: "exposed-headers",
    level: "credence",
    rule: `Pages may read ${EXPOSED.join(", ")}.`,
    why: "A browser hides response headers that are not exposed.",
    check: checkHeader(
      allKinds,
      "access-control-expose-headers",
      (value) => EXPOSED.every((name) => splitList(value.toLowerCase()).includes(name.toLowerCase())),
      EXPOSED.join(", "),
    ),
  },
  {
    id: "request-id",
    level: "credence",
    rule: "Every response has an X-Request-Id.",
    why: "Callers and operators can refer to the same request.",
    check: checkHeader(allKinds, "x-request-id", (value) => value !== "", "an id"),
  },
];
