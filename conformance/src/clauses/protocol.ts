import type { Answer } from "../asker.ts";
import { brief, type Clause, expectEach, type Kit, Mismatch, NotSeen } from "../clause.ts";
import { BAD_KEY, CREDENTIALS, LIST, NOBODY, parse, TOO_LONG } from "../sample.ts";

const ENDPOINTS = [LIST, `${LIST}/${NOBODY}`, CREDENTIALS];

/** Errors a caller can bring about at will, each with the code it should have. */
async function errors({ asker }: Kit): Promise<[string, Answer][]> {
  return [
    ["not_found", await asker.ask(`${LIST}/${NOBODY}`)],
    ["method_not_allowed", await asker.askAs(LIST, {}, "DELETE")],
    ["unauthorized", await asker.askAs(LIST, BAD_KEY)],
    ["bad_request", await asker.askAs(LIST, {}, "FETCH")],
    ["uri_too_long", await asker.ask(TOO_LONG)],
  ];
}

export const PROTOCOL_CLAUSES: Clause[] = [
  {
    id: "key-optional",
    level: "spec",
    says: "X-API-KEY is optional: every endpoint answers 200 or 401, with or without it.",
    why: "These are the two answers the specification defines.",
    check: async ({ asker, sample }) => {
      for (const path of [LIST, CREDENTIALS, ...sample.people.slice(0, 1).map(({ id }) => `${LIST}/${id}`)]) {
        for (const headers of [{}, BAD_KEY]) {
          const { status } = await asker.askAs(path, headers);
          if (status !== 200 && status !== 401) throw new Mismatch(`${path}: ${status}`, "200 or 401");
        }
      }
      return "no key and a key nobody issued";
    },
  },
  {
    id: "bad-key",
    level: "credence",
    says: "A key that is not valid is 401, with a challenge, on every endpoint.",
    why: "A broken key must be noticed, not taken for no key. (A server that takes over may let such keys pass for a while.)",
    check: async ({ asker }) => {
      for (const path of ENDPOINTS) {
        const { status, headers } = await asker.askAs(path, BAD_KEY);
        if (status !== 401) throw new Mismatch(`${path}: ${status}`, "401");
        const challenge = headers["www-authenticate"] ?? "no WWW-Authenticate";
        if (!/header="X-API-KEY"/.test(challenge))
          throw new Mismatch(challenge, 'WWW-Authenticate: ApiKey realm="v1", header="X-API-KEY"');
      }
      return "401 with a challenge";
    },
  },
  {
    id: "error-shape",
    level: "credence",
    says: "Every error is application/json with exactly error and code.",
    why: "Clients read `error`, programs read `code`; an HTML page breaks both.",
    check: async (kit) => {
      const seen = await errors(kit);
      for (const [code, answer] of seen) {
        const type = answer.headers["content-type"] ?? "no content type";
        if (!/^application\/json\b/.test(type)) throw new Mismatch(`${code}: ${type}`, "application/json");
        const body = parse(answer);
        const fine =
          body !== null &&
          Object.keys(body).join() === "error,code" &&
          body.code === code &&
          typeof body.error === "string";
        if (!fine) throw new Mismatch(`${answer.status} ${brief(answer.body)}`, `{"error": "…", "code": "${code}"}`);
      }
      return seen.map(([code]) => code).join(", ");
    },
  },
  {
    id: "errors-not-kept",
    level: "credence",
    says: "Errors other than 404 are no-store.",
    why: "A cache must not go on telling an error that has passed.",
    check: async (kit) => {
      const seen = (await errors(kit)).filter(([code]) => code !== "not_found");
      const control = ([, answer]: [string, Answer]) => answer.headers["cache-control"] ?? "no Cache-Control";
      expectEach(
        seen,
        (item) => /\bno-store\b/.test(control(item)),
        (item) => `${item[0]}: ${control(item)}`,
        "no-store",
      );
      return seen.map(([code]) => code).join(", ");
    },
  },
  {
    id: "target-too-long",
    level: "credence",
    says: "A request target over 8 KiB is 414.",
    why: "Long targets are refused before they cost anything.",
    check: async ({ asker }) => {
      const { status } = await asker.ask(TOO_LONG);
      if (status !== 414) throw new Mismatch(String(status), "414");
      return "414";
    },
  },
  {
    id: "other-methods",
    level: "credence",
    says: "Other methods are 405 with Allow: GET, HEAD, OPTIONS.",
    why: "V1 is read-only, and says so.",
    check: async ({ asker }) => {
      for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
        const { status, headers } = await asker.askAs(LIST, {}, method);
        const allowed = (headers.allow ?? "")
          .split(/\s*,\s*/)
          .sort()
          .join(", ");
        if (status !== 405 || allowed !== "GET, HEAD, OPTIONS")
          throw new Mismatch(`${method}: ${status}, Allow: ${allowed}`, "405, Allow: GET, HEAD, OPTIONS");
      }
      return "POST, PUT, PATCH, DELETE";
    },
  },
  {
    id: "method-before-key",
    level: "credence",
    says: "A method that is not answered is 405 whatever the key.",
    why: "The order of decisions is part of the contract.",
    check: async ({ asker }) => {
      const { status } = await asker.askAs(LIST, BAD_KEY, "DELETE");
      if (status !== 405) throw new Mismatch(String(status), "405");
      return "405 with a bad key";
    },
  },
  {
    id: "key-in-address",
    level: "credence",
    says: "A key in the address is an unknown parameter.",
    why: "Keys in addresses end up in logs, so they must not work there.",
    check: async ({ asker, sample }) => {
      const answer = await asker.ask(`${LIST}?api_key=credence-conformance-not-a-key`);
      if (answer.status !== 200 || answer.body !== sample.list.body)
        throw new Mismatch(String(answer.status), "the list");
      return "ignored";
    },
  },
  {
    id: "unknown-method",
    level: "credence",
    says: "A method that HTTP does not know is 400.",
    why: "What cannot be read as a request is refused as such.",
    check: async ({ asker }) => {
      const { status } = await asker.askAs(LIST, {}, "FETCH");
      if (status !== 400) throw new Mismatch(String(status), "400");
      return "400";
    },
  },
  {
    id: "head",
    level: "credence",
    says: "HEAD has the status and headers of GET, and no body.",
    why: "Link checkers and caches ask so.",
    check: async ({ asker, sample }) => {
      const head = await asker.ask(LIST, {}, "HEAD");
      if (head.status !== 200 || head.body !== "")
        throw new Mismatch(`${head.status} with ${head.body.length} bytes`, "200 without body");
      // The ages in Cache-Control may run down before a sunset.
      const plain = (value: string | undefined) => value?.replaceAll(/\d+/g, "n");
      for (const name of ["content-type", "etag", "cache-control"]) {
        const compare = name === "etag" ? (value: string | undefined) => value : plain;
        if (compare(head.headers[name]) !== compare(sample.list.headers[name]))
          throw new Mismatch(`${name}: ${head.headers[name]}`, String(sample.list.headers[name]));
      }
      return "200 without body";
    },
  },
  {
    id: "preflight",
    level: "credence",
    says: "OPTIONS is 204 and lets any page send X-API-KEY.",
    why: "Browser clients send their key, so every one of them asks first.",
    check: async ({ asker }) => {
      for (const path of ENDPOINTS) {
        const { status, headers } = await asker.askAs(
          path,
          { Origin: "https://app.example", "Access-Control-Request-Method": "GET" },
          "OPTIONS",
        );
        const allowed = (headers["access-control-allow-headers"] ?? "nothing").toLowerCase();
        const wanted = ["x-api-key", "content-type", "accept", "if-none-match"];
        if (status !== 204) throw new Mismatch(`${path}: ${status}`, "204");
        if (!wanted.every((name) => allowed.split(/\s*,\s*/).includes(name)))
          throw new Mismatch(`allows ${allowed}`, wanted.join(", "));
        if (!(Number(headers["access-control-max-age"]) > 0)) throw new Mismatch("no Access-Control-Max-Age", "7200");
      }
      return "204 on every endpoint";
    },
  },
  {
    id: "unknown-parameters",
    level: "credence",
    says: "Unknown parameters are ignored.",
    why: "Callers and trackers add their own.",
    check: async ({ asker, sample }) => {
      const answer = await asker.ask(`${LIST}?utm_source=x&foo[bar]=1`);
      if (answer.status !== 200 || answer.body !== sample.list.body)
        throw new Mismatch(`${answer.status}, another answer`, "the same answer");
      return "the same answer";
    },
  },
  {
    id: "last-parameter",
    level: "credence",
    says: "Of a repeated parameter the last one counts.",
    why: "Predictable, and never an error.",
    check: async ({ asker, sample }) => {
      if (sample.listed.length < 2) throw new NotSeen("fewer than two people are listed");
      const both = await asker.ask(`${LIST}?per_page=2&per_page=1`);
      const last = await asker.ask(`${LIST}?per_page=1`);
      if (both.body !== last.body) throw new Mismatch(`${both.status}, another answer`, "the same as the last alone");
      return "per_page=2&per_page=1 is per_page=1";
    },
  },
  {
    id: "slashes",
    level: "credence",
    says: "A trailing or doubled slash does not matter, and there is no redirect.",
    why: "A redirect would lose the key.",
    check: async ({ asker, sample }) => {
      for (const path of [`${LIST}/`, LIST.replace("/v1/", "//v1//")]) {
        const answer = await asker.ask(path);
        if (answer.body !== sample.list.body) throw new Mismatch(`${path}: ${answer.status}`, "the list");
      }
      return "both";
    },
  },
];
