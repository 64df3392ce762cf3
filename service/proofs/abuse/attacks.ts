import { type Attack, type AttackContext, anyOf, requestOf } from "./attack.ts";
import { flood } from "./flood.ts";
import { attackHttp2, type Http2Attack } from "./http2.ts";
import { forgedKey, junkKey, keywordQuery, longTags, shortTags } from "./junk.ts";
import type { Counts } from "./raw-connections.ts";
import { idle, slowBodies, slowHeaders, slowReaders } from "./slow.ts";
import { pipelineUnread } from "./unread.ts";

type Run = Attack["run"];

/** A page after the last page of any proof. */
const PAST_THE_END = 1_000_000;

const unread = (connections: number, addresses: number, largest: "largestPage" | "largestAsset"): Run => {
  return (context) =>
    pipelineUnread(context, {
      connections: context.count(connections),
      addresses,
      pipelined: context.count(500),
      path: context[largest],
    });
};

const pipelined = (path: (at: number, hotPaths: readonly string[]) => string): Run => {
  return (context) =>
    flood(context, {
      connections: context.count(50),
      depth: Math.max(20, context.count(300)),
      request: (at) => requestOf(path(at, context.hotPaths)),
    });
};

const pagesPastTheEnd: Run = (context) =>
  flood(context, {
    connections: 16,
    depth: 12,
    maxRequests: context.count(100_000),
    request: (at) => requestOf(`/api/v1/passports?page=${PAST_THE_END + at}`),
  });

const readLargestPage: Run = (context) =>
  flood(context, { connections: context.count(20), depth: 1, request: () => requestOf(context.largestPage) });

const withTags = (tags: string): Run => {
  const header = `If-None-Match: ${tags}\r\n`;
  return (context) =>
    flood(context, {
      connections: context.count(20),
      depth: 8,
      request: () => requestOf(anyOf(context.hotPaths), header),
    });
};

const withKeys = (key: () => string): Run => {
  return (context) =>
    flood(context, {
      connections: context.count(100),
      depth: 15,
      perSecond: 10_000,
      request: () => requestOf(anyOf(context.hotPaths), `X-API-KEY: ${key()}\r\n`),
    });
};

const search: Run = (context) =>
  flood(context, {
    connections: context.count(80),
    depth: 1,
    request: () => requestOf(`/api/v1/passports?${keywordQuery()}`),
  });

const slowly = (attackSlowly: (context: AttackContext, connections: number) => Promise<Counts>): Run => {
  return (context) => attackSlowly(context, context.count(1_000));
};

const idleFrom = (addresses: number): Run => {
  return (context) => idle(context, context.count(5_000), addresses);
};

const readiness = () => "/health/ready";
const differentPages = (at: number) => `/api/v1/passports?page=${1 + Math.floor(at / 100)}&per_page=${1 + (at % 100)}`;
const hotLookups = (_at: number, hotPaths: readonly string[]) => anyOf(hotPaths);

const http2 = (
  connections: number,
  responses: Http2Attack["responses"],
  path: (at: number, context: AttackContext) => string,
): Run => {
  return (context) =>
    attackHttp2(context, {
      ...{ connections: context.count(connections), addresses: 4, streams: Math.max(2, context.count(100)), responses },
      path: (at) => path(at, context),
    });
};

const attack = (name: string, description: string, run: Run): Attack => ({ name, description, run });

/** Has no rate limit during the warm-up. */
export const WARM_UP_NETWORK = "127.3";

/** Not an attack: fills the cache, and lets the heap grow to the size of a busy server. */
export const WARM_UP = attack("warm-up", "all people in turn", (context) => {
  const paths = [context.largestPage, context.largestAsset, ...context.allPaths, ...context.allPaths];
  const request = (at: number) => requestOf(paths[at] ?? anyOf(context.hotPaths));
  const connections = { connections: 16, depth: 1, network: WARM_UP_NETWORK };
  return flood(context, { ...connections, maxRequests: paths.length, durationMs: 60_000, request });
});

/** In the order of execution. */
export const ATTACKS: readonly Attack[] = [
  attack("unread-page-1", "1 connection × 500 unread GETs of the largest page", unread(1, 1, "largestPage")),
  attack("unread-page-400", "400 connections × 500 unread GETs of the largest page", unread(400, 4, "largestPage")),
  attack("unread-asset-1", "1 connection × 500 unread GETs of the largest asset", unread(1, 1, "largestAsset")),
  attack("unread-asset-400", "400 connections × 500 unread GETs of the largest asset", unread(400, 4, "largestAsset")),
  attack("pipelined-readiness", "50 connections × 300 pipelined `/health/ready`", pipelined(readiness)),
  attack("pipelined-pages", "50 connections × 300 pipelined pages, all different", pipelined(differentPages)),
  attack("pipelined-lookups", "50 connections × 300 pipelined cached look-ups", pipelined(hotLookups)),
  attack("pages-past-the-end", "up to 100,000 different pages past the end", pagesPastTheEnd),
  attack("slow-headers", "1,000 connections that send headers slowly", slowly(slowHeaders)),
  attack("slow-bodies", "1,000 connections that send bodies slowly", slowly(slowBodies)),
  attack("slow-readers", "1,000 connections that read the largest page slowly", slowly(slowReaders)),
  attack("idle-many", "5,000 idle connections from 25 addresses", idleFrom(25)),
  attack("idle-one", "5,000 idle connections from one address", idleFrom(1)),
  attack("largest-page-read", "20 connections that read the largest page again and again", readLargestPage),
  attack("long-tags", "`If-None-Match` with 640 tags in 16 KB", withTags(longTags())),
  attack("short-tags", "`If-None-Match` with 5,000 empty tags", withTags(shortTags())),
  attack("junk-keys", "10,000 junk keys a second", withKeys(junkKey)),
  attack("forged-keys", "10,000 well-formed keys a second that were never issued", withKeys(forgedKey)),
  attack("searches", "80 keyword searches in flight from one address", search),
  attack(
    "http2-unread",
    "HTTP/2: 40 connections × 100 unread streams of the largest page",
    http2(40, "unread", (_, { largestPage }) => largestPage),
  ),
  attack(
    "http2-resets",
    "HTTP/2: 20 connections × 100 streams, each cancelled at once",
    http2(20, "reset", (_, { hotPaths }) => anyOf(hotPaths)),
  ),
  attack(
    "http2-lookups",
    "HTTP/2: 10 connections × 100 streams of cached look-ups",
    http2(10, "read", (_, { hotPaths }) => anyOf(hotPaths)),
  ),
  attack(
    "http2-searches",
    "HTTP/2: 1 connection × 100 streams of searches",
    http2(1, "read", () => `/api/v1/passports?${keywordQuery()}`),
  ),
];
