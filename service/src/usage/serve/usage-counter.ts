import type { IncomingHttpHeaders } from "node:http";
import { V1_ENDPOINTS, v1EndpointOf } from "@credence/contract/endpoints.ts";
import { baseOf, isFilter } from "@credence/contract/filters.ts";
import { hashToken } from "#core/identity/api-key.ts";
import {
  ENDPOINTS,
  type MarkKind,
  STATUSES,
  UNKNOWN_KEY,
  type UsageCount,
  type UsageMark,
  type UsageStatus,
} from "#usage/record-usage.ts";
import { createTopValues } from "./top-values.ts";

/** What was counted. `lost` is the number of requests that found no room. */
export type Usage = { counts: UsageCount[]; marks: UsageMark[]; lost: number };

type CountedRequest = {
  keyId: string | null;
  client: string;
  hasKeyInUrl: boolean;
  headers: IncomingHttpHeaders;
  query: unknown;
};

export type UsageCounter = {
  /** Counts a response, if its route is an endpoint of V1 or a page about people. */
  count: (request: CountedRequest, route: string, status: number) => void;
  /** Counts a request to a path that is no endpoint. The path is masked. */
  countUnknownPath: (maskedPath: string) => void;
  /** Returns what was counted since the last call. */
  take: () => Usage;
};

export const MAX_CLIENTS = 20_000;
export const MAX_VALUES = 500;
const MAX_VALUE_LENGTH = 128;
/** A longer key is counted as an unknown key, but not listed. */
const MAX_TOKEN_LENGTH = 512;
const MAX_PARAMETERS_PER_REQUEST = 8;
const DAY_MS = 86_400_000;

const DEFINED_PARAMETERS: readonly ReadonlySet<string>[] = [
  new Set(["page", "per_page", "keyword"]),
  new Set(),
  new Set(["passport_id"]),
];
const PARAMETER_NAME = /^[A-Za-z0-9_-]{1,32}$/;
const STATUS_AT = Uint8Array.from({ length: 600 }, (_, status) => STATUSES.indexOf(nameOf(status)));
/** The slot with the time of a client's last request, after those of endpoints and statuses. */
const LAST_AT = ENDPOINTS.length * STATUSES.length;

function nameOf(status: number): UsageStatus {
  const exact = STATUSES.find((name) => name === String(status));
  return exact ?? STATUSES.find((name) => name === `${Math.floor(status / 100)}xx`) ?? "5xx";
}

/**
 * Counts the usage of V1 and of pages in memory. A request costs a few map look-ups: its client has one array of
 * counts. Values are escaped, and unknown keys are hashed, when they are taken.
 */
export function createUsageCounter(): UsageCounter {
  let day = "";
  let dayEndsAt = 0;
  let lost = 0;
  /** Usage of earlier days that was not taken yet. */
  let earlier: Usage[] = [];
  let clients = new Map<string, Float64Array>();
  /** The places of routes in `ENDPOINTS`. Routes of V1 under other prefixes are added when they are met. */
  const endpoints = new Map<string, number>(ENDPOINTS.map((endpoint, index) => [endpoint, index]));

  /** -1 if the route is none of the endpoints. */
  function findEndpoint(route: string): number {
    let index = endpoints.get(route);
    if (index === undefined) {
      index = (V1_ENDPOINTS as readonly (string | null)[]).indexOf(v1EndpointOf(route));
      endpoints.set(route, index);
    }
    return index;
  }

  const values = {
    "user agent": createTopValues(MAX_VALUES),
    origin: createTopValues(MAX_VALUES),
    parameter: createTopValues(MAX_VALUES),
    "unknown key": createTopValues(MAX_VALUES),
    "key in URL": createTopValues(MAX_VALUES),
    path: createTopValues(MAX_VALUES),
  };

  function startDay(now: number): void {
    const usage = takeDay();
    if (usage.counts.length > 0 || usage.marks.length > 0 || usage.lost > 0) earlier.push(usage);
    day = new Date(now).toISOString().slice(0, 10);
    dayEndsAt = now - (now % DAY_MS) + DAY_MS;
  }

  /** Names of parameters that V1 does not have. Of a filter such as `filter[name]`, only the first word. */
  function countParameters(query: unknown, endpoint: number): void {
    let parameters = 0;
    for (const name in query as object) {
      if (DEFINED_PARAMETERS[endpoint]?.has(name)) continue;
      const counted = isFilter(name) ? baseOf(name) : name;
      if (!PARAMETER_NAME.test(counted)) continue;
      values.parameter.add(counted);
      parameters += 1;
      if (parameters === MAX_PARAMETERS_PER_REQUEST) break;
    }
  }

  /** The values that identify a client without a valid key. */
  function countValues({ client, headers }: CountedRequest): void {
    const { origin, "user-agent": agent } = headers;
    if (agent !== undefined) values["user agent"].add(clip(agent));
    if (origin !== undefined) values.origin.add(clip(origin));
    if (client === UNKNOWN_KEY) {
      const token = String(headers["x-api-key"]);
      if (token.length <= MAX_TOKEN_LENGTH) values["unknown key"].add(token);
    }
  }

  function takeDay(): Usage {
    const marks = Object.entries(values).flatMap(([name, top]) => {
      const kind = name as MarkKind;
      return top.take().flatMap(([value, requests]): UsageMark[] => {
        const stored = storedValue(kind, value);
        return looksLikeKey(stored) ? [] : [{ day, kind, value: stored, requests }];
      });
    });
    const usage: Usage = { counts: listCounts(day, clients), marks, lost };
    clients = new Map();
    lost = 0;
    return usage;
  }

  /** The clock may also be set back. */
  function enterDay(now: number): void {
    if (now >= dayEndsAt || now < dayEndsAt - DAY_MS) startDay(now);
  }

  return {
    count(request, route, status) {
      const endpoint = findEndpoint(route);
      if (endpoint === -1) return;
      const now = Date.now();
      enterDay(now);
      const client = request.keyId ?? request.client;
      let counts = clients.get(client);
      if (counts === undefined) {
        if (clients.size >= MAX_CLIENTS) {
          lost += 1;
          return;
        }
        counts = new Float64Array(LAST_AT + 1);
        clients.set(client, counts);
      }
      const slot = endpoint * STATUSES.length + (STATUS_AT[status] as number);
      counts[slot] = (counts[slot] as number) + 1;
      counts[LAST_AT] = now;
      // Pages do not show who depends on V1.
      if (endpoint < V1_ENDPOINTS.length) {
        values.path.add(route);
        countParameters(request.query, endpoint);
        if (request.keyId === null) countValues(request);
      }
      if (request.hasKeyInUrl) values["key in URL"].add(client);
    },
    countUnknownPath(maskedPath) {
      enterDay(Date.now());
      values.path.add(maskedPath);
    },
    take() {
      const usages = [...earlier, takeDay()];
      earlier = [];
      return {
        counts: usages.flatMap((usage) => usage.counts),
        marks: usages.flatMap((usage) => usage.marks),
        lost: usages.reduce((sum, usage) => sum + usage.lost, 0),
      };
    },
  };
}

function listCounts(day: string, clients: Map<string, Float64Array>): UsageCount[] {
  const counts: UsageCount[] = [];
  for (const [client, slots] of clients) {
    const last_at = new Date(slots[LAST_AT] as number).toISOString();
    for (const [index, endpoint] of ENDPOINTS.entries()) {
      for (const [offset, status] of STATUSES.entries()) {
        const requests = slots[index * STATUSES.length + offset] as number;
        if (requests > 0) counts.push({ day, client, endpoint, status, requests, last_at });
      }
    }
  }
  return counts;
}

const clip = (value: string): string => (value.length > MAX_VALUE_LENGTH ? value.slice(0, MAX_VALUE_LENGTH) : value);

function storedValue(kind: MarkKind, value: string): string {
  if (kind === "unknown key") return hashToken(value).toString("hex");
  return kind === "path" ? value.replace("/:id", "/*") : toAscii(value);
}

/** Escapes all characters but printable ASCII. Header values are Latin-1. */
const toAscii = (value: string): string =>
  value.replaceAll(/[^ -~]/g, (character) => encodeURIComponent(character)).slice(0, MAX_VALUE_LENGTH);

/** Keys must not be stored, not even parts of them. */
const looksLikeKey = (value: string): boolean => value === "" || /crd_/i.test(value);
