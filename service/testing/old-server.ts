import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Person } from "@credence/contract/person.ts";
import { quirkyPassport } from "./quirks.ts";

/** What goes wrong, as a share of the requests. All of it is drawn from one seed. */
export type Troubles = {
  /** Status 429 with Retry-After: 0, and every 20th time with 1. */
  refused?: number;
  /** Status 500. */
  failed?: number;
  reset?: number;
  slow?: number;
  /** A score changes, and with it the order of the list. */
  changed?: number;
  /** A person leaves, and another one arrives. */
  replaced?: number;
};

export type OldServer = {
  address: string;
  close: () => void;
  requests: () => number;
  /** When each request arrived, in milliseconds. */
  arrivals: readonly number[];
  requestHeaders: Set<string>;
  /** Ids of the people who were there all the time. */
  residents: () => number[];
  people: Map<number, Person>;
  /** Whether a person was in this state at some moment. */
  hasBeen: (person: Person) => boolean;
  update: (id: number, change: (person: Person) => Person) => void;
  /** The status of all further responses. */
  setStatus: (status: number) => void;
};

const EXTRA = { created_at: "2023-01-01T00:00:00.000Z", user: { email: "a@b.example" } };
const PAGE_MAX = 100;
const ERROR_PAGE = "<!DOCTYPE html>\n<title>The page you were looking for doesn't exist</title>\n";

/**
 * An old V1 server whose people change while they are copied: scores change, so that pages shift,
 * people leave and arrive, and responses fail. It sends more fields than V1 has.
 */
export async function oldServer(
  initial: readonly Person[],
  troubles: Troubles = {},
  {
    extra = false,
    quirks = false,
    seed = 1,
    notFound = "V1",
  }: { extra?: boolean; quirks?: boolean; seed?: number; notFound?: "V1" | "HTML" } = {},
): Promise<OldServer> {
  const people = new Map(initial.map((person) => [person.passport.passport_id, person]));
  const history = new Map<number, { passports: Set<string>; credentials: Set<string> }>();
  const gone = new Set<number>();
  const newcomers = new Set<number>();
  const arrivals: number[] = [];
  const requestHeaders = new Set<string>();
  const random = createRandom(seed);
  let order: Person[] | null = null;
  let nextId = Math.max(0, ...people.keys()) + 1;
  let refusals = 0;
  let status = 200;

  const remember = ({ passport, credentials }: Person): void => {
    const { passport_id: id } = passport;
    const entry = history.get(id) ?? { passports: new Set(), credentials: new Set() };
    entry.passports.add(JSON.stringify(passport));
    entry.credentials.add(byId(credentials));
    history.set(id, entry);
  };
  const update = (id: number, change: (person: Person) => Person): void => {
    const person = change(people.get(id) as Person);
    people.set(id, person);
    remember(person);
    order = null;
  };
  for (const person of initial) remember(person);

  /** The changes that come with a request. */
  const drift = (): void => {
    if (random() < (troubles.changed ?? 0)) {
      const ids = [...people.keys()];
      const id = ids[Math.floor(random() * ids.length)] as number;
      const score = Math.round(random() * 4_000) / 2;
      const last_calculated_at = new Date().toISOString();
      update(id, (person) => ({ ...person, passport: { ...person.passport, score, last_calculated_at } }));
    }
    if (random() < (troubles.replaced ?? 0)) {
      const [id, person] = people.entries().next().value as [number, Person];
      people.delete(id);
      gone.add(id);
      newcomers.add(nextId);
      const arrived = { ...person, passport: { ...person.passport, passport_id: nextId } };
      people.set(nextId, arrived);
      remember(arrived);
      nextId += 1;
      order = null;
    }
  };
  const listOrder = (): Person[] => {
    order ??= [...people.values()]
      .filter(({ passport }) => !passport.merged)
      .sort(
        (a, b) =>
          (b.passport.score ?? -1) - (a.passport.score ?? -1) || a.passport.passport_id - b.passport.passport_id,
      );
    return order;
  };
  /** The body of a response; null if there is none. */
  const bodyFor = (url: string): unknown => {
    const { pathname: asked, searchParams } = new URL(url, "http://x");
    // The original had the same endpoints under both.
    const pathname = quirks ? asked.replace("/api/v2/", "/api/v1/") : asked;
    const more = extra ? EXTRA : {};
    const show = (passport: object) => (quirks ? quirkyPassport(passport) : passport);
    if (pathname === "/api/v1/passports") {
      const page = Number(searchParams.get("page") ?? 1);
      const size = Math.min(PAGE_MAX, Number(searchParams.get("per_page") ?? 25));
      const all = listOrder();
      const passports = all.slice((page - 1) * size, page * size).map(({ passport }) => {
        const { merged, passport_socials, ...listed } = passport;
        return { ...more, ...show(listed) };
      });
      const last_page = Math.max(1, Math.ceil(all.length / size));
      return { passports, pagination: { current_page: page, last_page, total: all.length } };
    }
    const id = Number(/^\/api\/v1\/passports\/(\d+)$/.exec(pathname)?.[1] ?? searchParams.get("passport_id"));
    const person = people.get(id);
    if (person === undefined) return null;
    if (pathname !== "/api/v1/passport_credentials") return { passport: { ...show(person.passport), ...more } };
    // Null stands for no list.
    if ((person.credentials as unknown) === null) return { passport_credentials: null };
    return { passport_credentials: person.credentials.toReversed().map((credential) => ({ ...credential, ...more })) };
  };
  const respond = (request: IncomingMessage, response: ServerResponse): void => {
    const body = bodyFor(request.url ?? "/");
    if (status !== 200 || (body === null && notFound === "HTML")) {
      response.writeHead(status === 200 ? 404 : status, { "Content-Type": "text/html" }).end(ERROR_PAGE);
      return;
    }
    const text = JSON.stringify(body ?? { error: "Resource not found." });
    const size = Buffer.byteLength(text);
    response.writeHead(body === null ? 404 : 200, { "Content-Type": "application/json", "Content-Length": size });
    if (random() < (troubles.slow ?? 0)) {
      response.write(text.slice(0, 10));
      setTimeout(() => response.end(text.slice(10)), 20);
    } else response.end(text);
  };
  const server = createServer((request, response) => {
    arrivals.push(performance.now());
    requestHeaders.add(`${request.headers["user-agent"]} ${request.headers["x-api-key"]}`);
    drift();
    const draw = random();
    const { refused = 0, failed = 0, reset = 0 } = troubles;
    if (draw < refused) {
      refusals += 1;
      response.writeHead(429, { "Retry-After": refusals % 20 === 0 ? "1" : "0" }).end("{}");
    } else if (draw < refused + failed) response.writeHead(500).end("oops");
    else if (draw < refused + failed + reset) request.socket.destroy();
    else respond(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
    requests: () => arrivals.length,
    arrivals,
    requestHeaders,
    residents: () => [...people.keys()].filter((id) => !gone.has(id) && !newcomers.has(id)),
    people,
    hasBeen: ({ passport, credentials }) => {
      const entry = history.get(passport.passport_id);
      if (entry === undefined) return false;
      return entry.passports.has(JSON.stringify(passport)) && entry.credentials.has(byId(credentials));
    },
    update,
    setStatus: (code) => {
      status = code;
    },
  };
}

const byId = (credentials: Person["credentials"]): string =>
  JSON.stringify((credentials ?? []).toSorted((a, b) => (a.id < b.id ? -1 : 1)));

/** A small deterministic generator (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Throws if more requests arrived in any span of time than the rate allows, plus `tolerance`. */
export function checkRate(arrivals: readonly number[], rate: number, tolerance: number): void {
  // For requests i < j: j - i <= rate * (t[j] - t[i]) + tolerance. The left side minus the rate's
  // part has its largest rise between a running minimum and a later value.
  let lowest = Number.POSITIVE_INFINITY;
  for (const [number, time] of arrivals.entries()) {
    const excess = number - (rate * time) / 1_000;
    lowest = Math.min(lowest, excess);
    if (excess - lowest > tolerance) throw new Error(`The rate was exceeded by ${excess - lowest} requests.`);
  }
}
