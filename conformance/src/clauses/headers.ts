import type { Answer } from "../asker.ts";
import { type Clause, expectEach, type Kit, Mismatch } from "../clause.ts";
import { BAD_KEY, CREDENTIALS, LIST, NOBODY, objectOf, TOO_LONG } from "../sample.ts";

const header = (name: string) => (answer: Answer) =>
  `${answer.status} with ${name}: ${answer.headers[name] ?? "nothing"}`;

/** Answers of every kind: found, unchanged, missing, refused. */
async function answers({ asker, sample }: Kit): Promise<Answer[]> {
  const etag = sample.list.headers.etag;
  return [
    sample.list,
    ...sample.people.slice(0, 1).flatMap(({ single, credentials }) => [single, credentials]),
    ...(etag === undefined ? [] : [await asker.ask(LIST, { "If-None-Match": etag })]),
    await asker.ask(`${LIST}/${NOBODY}`),
    await asker.askAs(CREDENTIALS, {}, "DELETE"),
    await asker.askAs(LIST, BAD_KEY),
    await asker.ask(TOO_LONG),
  ];
}

const found = ({ sample }: Kit): Answer[] => [
  sample.list,
  ...sample.people.flatMap(({ single, credentials }) => [single, credentials]),
];

/** Seconds since 1970 of a structured-field date, or NaN. */
const deprecatedAt = (answer: Answer): number =>
  Number(/^@(-?\d+)$/.exec(answer.headers.deprecation ?? "")?.[1] ?? Number.NaN);

export const HEADER_CLAUSES: Clause[] = [
  {
    id: "deprecation",
    level: "credence",
    says: "Every answer, errors and 304 included, carries a Deprecation date as in RFC 9745.",
    why: "It is how a program learns that V1 is going.",
    check: async (kit) => {
      const seen = await answers(kit);
      expectEach(
        seen,
        (answer) => Number.isInteger(deprecatedAt(answer)),
        header("deprecation"),
        "Deprecation: @<unix seconds>",
      );
      return `${seen.length} answers, ${seen[0]?.headers.deprecation}`;
    },
  },
  {
    id: "deprecation-link",
    level: "credence",
    says: 'Every answer links to what there is to read about it, with rel="deprecation" right after the address.',
    why: "A popular client looks for exactly that.",
    check: async (kit) => {
      const seen = await answers(kit);
      expectEach(
        seen,
        ({ headers }) => /<[^>]+>; rel="deprecation"/.test(headers.link ?? ""),
        header("link"),
        '<…>; rel="deprecation"',
      );
      return `${seen.length} answers`;
    },
  },
  {
    id: "sunset",
    level: "credence",
    says: "Sunset, if there is one, is an HTTP date not before the deprecation.",
    why: "A date that cannot be read, or comes first, is worse than none.",
    check: async (kit) => {
      const seen = await answers(kit);
      const fine = (answer: Answer) => {
        const { sunset } = answer.headers;
        if (sunset === undefined) return true;
        const date = new Date(sunset);
        return date.toUTCString() === sunset && date.getTime() / 1000 >= deprecatedAt(answer);
      };
      expectEach(seen, fine, header("sunset"), "an HTTP date not before the deprecation");
      return seen[0]?.headers.sunset ?? "none set";
    },
  },
  {
    id: "page-links",
    level: "credence",
    says: "The list links to its first and last page, and to the next where there is one.",
    why: "Clients can walk the list without making up addresses.",
    check: async ({ asker }) => {
      const answer = await asker.ask(`${LIST}?per_page=1`);
      const { last_page } = objectOf(answer, "pagination");
      const wanted = ["first", "last", ...(Number(last_page) > 1 ? ["next"] : [])];
      const missing = wanted.filter((rel) => !(answer.headers.link ?? "").includes(`rel="${rel}"`));
      if (missing.length > 0) throw new Mismatch(`no ${missing.join(", ")}`, wanted.join(", "));
      return wanted.join(", ");
    },
  },
  {
    id: "etag-weak",
    level: "credence",
    says: "200 carries a weak ETag.",
    why: "A strong one would be wrong as soon as a proxy compresses.",
    check: async (kit) => {
      expectEach(found(kit), ({ headers }) => /^W\/"[^"]+"$/.test(headers.etag ?? ""), header("etag"), 'W/"…"');
      return `${found(kit).length} answers`;
    },
  },
  {
    id: "not-modified",
    level: "credence",
    says: "If-None-Match with the tag, in a list, or * is 304 without body.",
    why: "Polling stays cheap.",
    check: async ({ asker, sample }) => {
      const etag = sample.list.headers.etag ?? 'W/"none"';
      for (const given of [etag, `"other", ${etag}`, "*"]) {
        const { status, body } = await asker.ask(LIST, { "If-None-Match": given });
        if (status !== 304 || body !== "") throw new Mismatch(`${given}: ${status}`, "304 without body");
      }
      const person = sample.people[0];
      if (person !== undefined) {
        const again = await asker.ask(`${LIST}/${person.id}`, {
          "If-None-Match": person.single.headers.etag ?? 'W/"none"',
        });
        if (again.status !== 304) throw new Mismatch(`a look-up: ${again.status}`, "304");
      }
      const { status } = await asker.ask(LIST, { "If-None-Match": '"other"' });
      if (status !== 200) throw new Mismatch(`another tag: ${status}`, "200");
      return "the tag, a list, *";
    },
  },
  {
    id: "stable",
    level: "credence",
    says: "Asked again, an answer has the same bytes and the same ETag.",
    why: "Otherwise every cache is useless.",
    check: async ({ asker, sample }) => {
      const person = sample.people[0];
      const again: [Answer, Answer][] = [
        [sample.list, await asker.ask(`${LIST}?page=1`)],
        ...(person === undefined
          ? []
          : [[person.single, await asker.ask(`${LIST}/${person.id}?again`)] as [Answer, Answer]]),
      ];
      for (const [first, second] of again) {
        if (first.body !== second.body || first.headers.etag !== second.headers.etag) {
          throw new Mismatch(`${first.headers.etag}, then ${second.headers.etag}`, "the same bytes and tag");
        }
      }
      return `${again.length} answers`;
    },
  },
  {
    id: "cache-control",
    level: "credence",
    says: "200 may be kept: by everyone when no key was sent, by the caller alone otherwise; an anonymous 404 for 30 seconds.",
    why: "A shared cache must not hand out what was asked with a key.",
    check: async (kit) => {
      const age = (answer: Answer) =>
        Number(/max-age=(\d+)/.exec(answer.headers["cache-control"] ?? "")?.[1] ?? Number.NaN);
      const scope = (answer: Answer) => /^(public|private|no-store)\b/.exec(answer.headers["cache-control"] ?? "")?.[1];
      const wanted = kit.hasKey ? "private" : "public";
      expectEach(
        found(kit),
        (answer) => scope(answer) === wanted && age(answer) <= 60,
        header("cache-control"),
        `${wanted}, max-age up to 60`,
      );
      const missing = await kit.asker.ask(`${LIST}/${NOBODY}`);
      const fine = kit.hasKey ? scope(missing) === "no-store" : scope(missing) === "public" && age(missing) <= 30;
      if (!fine)
        throw new Mismatch(header("cache-control")(missing), kit.hasKey ? "no-store" : "public, max-age up to 30");
      return kit.sample.list.headers["cache-control"] ?? "";
    },
  },
  {
    id: "vary",
    level: "credence",
    says: "200 varies by Accept-Encoding and X-API-KEY.",
    why: "Else a cache answers one caller with what another was told.",
    check: async (kit) => {
      const fine = ({ headers }: Answer) =>
        /accept-encoding/i.test(headers.vary ?? "") && /x-api-key/i.test(headers.vary ?? "");
      expectEach(found(kit), fine, header("vary"), "Accept-Encoding, X-API-KEY");
      return `${found(kit).length} answers`;
    },
  },
  {
    id: "cors",
    level: "credence",
    says: "Any page may read every answer, errors included.",
    why: "Else a browser hides the 401 or 404 from its program.",
    check: async (kit) => {
      const seen = await answers(kit);
      expectEach(
        seen,
        ({ headers }) => headers["access-control-allow-origin"] === "*",
        header("access-control-allow-origin"),
        "*",
      );
      return `${seen.length} answers`;
    },
  },
  {
    id: "exposed-headers",
    level: "credence",
    says: "A page may read Deprecation, Sunset, Link, ETag, RateLimit, RateLimit-Policy, Retry-After and X-Request-Id.",
    why: "A browser hides headers that are not named.",
    check: async (kit) => {
      const seen = await answers(kit);
      const wanted = [
        "Deprecation",
        "Sunset",
        "Link",
        "ETag",
        "RateLimit",
        "RateLimit-Policy",
        "Retry-After",
        "X-Request-Id",
      ];
      const fine = ({ headers }: Answer) => {
        const exposed = (headers["access-control-expose-headers"] ?? "").toLowerCase().split(/\s*,\s*/);
        return wanted.every((name) => exposed.includes(name.toLowerCase()));
      };
      expectEach(seen, fine, header("access-control-expose-headers"), wanted.join(", "));
      return wanted.join(", ");
    },
  },
  {
    id: "request-id",
    level: "credence",
    says: "Every answer carries an X-Request-Id.",
    why: "So that a caller and an operator can speak of the same request.",
    check: async (kit) => {
      const seen = await answers(kit);
      expectEach(seen, ({ headers }) => (headers["x-request-id"] ?? "") !== "", header("x-request-id"), "an id");
      return `${seen.length} answers`;
    },
  },
];
