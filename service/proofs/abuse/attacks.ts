import { randomInt } from "node:crypto";
import { formatToken, randomTokenParts } from "#identity/api-key.ts";
import { type Attack, anyOf, requestOf } from "./attack.ts";
import { flood } from "./flood.ts";
import { idle, slowBodies, slowHeaders, slowReaders } from "./slow.ts";
import { pipelineUnread } from "./unread.ts";

const letters = (count: number): string =>
  Array.from({ length: count }, () => String.fromCharCode(97 + Math.floor(Math.random() * 26))).join("");
const tagsOf = (tag: () => string, bytes: number): string => {
  let tags = tag();
  while (tags.length < bytes) tags += `,${tag()}`;
  return tags;
};
/** Room for the request line and other headers below the server's 16 KiB. */
const TAGS_BYTES = 16_000;
/** Shares of three letters that many names have: what the index narrows down least. */
const COMMON = [
  "ant",
  "ber",
  "dra",
  "ell",
  "ian",
  "ina",
  "lin",
  "man",
  "mar",
  "ria",
  "ron",
  "sen",
  "son",
  "ter",
  "tom",
];
/** Past the end of any list of a proof. */
const PAST_THE_END = 1_000_000;

const unread = (connections: number, addresses: number, largest: "largestPage" | "largestAsset"): Attack["run"] => {
  return (context) =>
    pipelineUnread(context, {
      ...{ connections: context.count(connections), addresses, pipelined: context.count(500), path: context[largest] },
    });
};
const pipelined = (path: (at: number, hotPaths: readonly string[]) => string): Attack["run"] => {
  return (context) =>
    flood(context, {
      connections: context.count(50),
      depth: Math.max(20, context.count(300)),
      request: (at) => requestOf(path(at, context.hotPaths)),
    });
};
/** Twenty connections that ask for one thing each time, with a header or without. */
const loop = (depth: number, path: "hot" | "largestPage", headers: () => string): Attack["run"] => {
  return (context) =>
    flood(context, {
      connections: context.count(20),
      depth,
      request: () => requestOf(path === "hot" ? anyOf(context.hotPaths) : context.largestPage, headers()),
    });
};
const junkKeys = (key: () => string): Attack["run"] => {
  return (context) =>
    flood(context, {
      ...{ connections: context.count(100), depth: 15, perSecond: 10_000 },
      request: () => requestOf(anyOf(context.hotPaths), `X-API-KEY: ${key()}\r\n`),
    });
};

const longTags = tagsOf(() => `W/"${letters(20)}"`, TAGS_BYTES);
const shortTags = Array(5_000).fill('""').join(",");

export const ATTACKS: readonly Attack[] = [
  {
    name: "unread-page-1",
    what: "500 unread GETs of the largest page on 1 connection",
    run: unread(1, 1, "largestPage"),
  },
  { name: "unread-page-400", what: "the same on 400 connections", run: unread(400, 4, "largestPage") },
  {
    name: "unread-asset-1",
    what: "500 unread GETs of the largest asset on 1 connection",
    run: unread(1, 1, "largestAsset"),
  },
  { name: "unread-asset-400", what: "the same on 400 connections", run: unread(400, 4, "largestAsset") },
  {
    name: "pipelined-readiness",
    what: "50 connections × 300 pipelined `/health/ready`",
    run: pipelined(() => "/health/ready"),
  },
  {
    name: "pipelined-pages",
    what: "50 connections × 300 pipelined pages, each another one",
    run: pipelined((at) => `/api/v1/passports?page=${1 + Math.floor(at / 100)}&per_page=${1 + (at % 100)}`),
  },
  {
    name: "pipelined-lookups",
    what: "50 connections × 300 pipelined cached look-ups",
    run: pipelined((_, hot) => anyOf(hot)),
  },
  {
    name: "pages-past-the-end",
    what: "100,000 different pages past the end",
    run: (context) =>
      flood(context, {
        ...{ connections: 16, depth: 12, most: context.count(100_000), durationMs: 12 * context.durationMs },
        request: (at) => requestOf(`/api/v1/passports?page=${PAST_THE_END + at}`),
      }),
  },
  { name: "slow-headers", what: "1,000 slow headers", run: (context) => slowHeaders(context, context.count(1_000)) },
  { name: "slow-bodies", what: "1,000 slow bodies", run: (context) => slowBodies(context, context.count(1_000)) },
  {
    name: "slow-readers",
    what: "1,000 slow readers of the largest page",
    run: (context) => slowReaders(context, context.count(1_000)),
  },
  {
    name: "idle-many",
    what: "5,000 idle connections from 25 addresses",
    run: (context) => idle(context, context.count(5_000), 25),
  },
  {
    name: "idle-one",
    what: "5,000 idle connections from one address",
    run: (context) => idle(context, context.count(5_000), 1),
  },
  {
    name: "largest-page-read",
    what: "the largest page, read on 20 connections",
    run: loop(1, "largestPage", () => ""),
  },
  {
    name: "long-tags",
    what: "`If-None-Match` with 16 KB of tags",
    run: loop(8, "hot", () => `If-None-Match: ${longTags}\r\n`),
  },
  {
    name: "short-tags",
    what: "`If-None-Match` with 5,000 tags",
    run: loop(8, "hot", () => `If-None-Match: ${shortTags}\r\n`),
  },
  { name: "junk-keys", what: "10,000 junk keys a second", run: junkKeys(() => letters(24)) },
  {
    name: "forged-keys",
    what: "10,000 keys a second of the right form",
    run: junkKeys(() => {
      const { id, secret } = randomTokenParts((bound) => Math.floor(Math.random() * bound));
      return formatToken(id, secret);
    }),
  },
  {
    name: "searches",
    what: "keyword searches, 80 in flight",
    run: (context) =>
      flood(context, {
        ...{ connections: context.count(80), depth: 1 },
        request: () => {
          const keyword = `${anyOf(COMMON)}${anyOf(["", "%20"])}${anyOf(COMMON)}`;
          return requestOf(`/api/v1/passports?keyword=${keyword}&per_page=${randomInt(1, 101)}`);
        },
      }),
  },
];
