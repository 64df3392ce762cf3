import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Person } from "@credence/contract/person.ts";

/**
 * A V1 server that differs from Credence wherever the specification allows it: ascending scores,
 * fixed pages of ten, exact names, null for an unknown passport, additional fields, timestamps
 * without an offset, and few headers.
 */
export async function minimalServer(people: readonly Person[]): Promise<{ address: string; close: () => void }> {
  const passports = people.map(({ passport }) => passport).toSorted((a, b) => (a.score ?? 0) - (b.score ?? 0));
  const withoutOffset = (timestamp: string | null) => timestamp?.replace(/\.\d+Z$/, "") ?? null;
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://x");
    const json = (body: unknown) => response.setHeader("Content-Type", "application/json").end(JSON.stringify(body));
    if (request.headers["x-api-key"]) return response.writeHead(401, { "Content-Type": "text/plain" }).end("no");
    if (pathname === "/api/v1/passports") {
      const keyword = searchParams.get("keyword");
      const matches = passports.filter(
        ({ passport_profile }) => keyword === null || passport_profile.display_name === keyword,
      );
      const page = Number(searchParams.get("page") ?? 1);
      const listed = matches.slice((page - 1) * 10, page * 10).map(({ merged, passport_socials, ...passport }) => {
        const main_wallet = passport.main_wallet?.toUpperCase().replace("0X", "0x") ?? null;
        const shown = { ...passport, last_calculated_at: withoutOffset(passport.last_calculated_at), main_wallet };
        return Object.fromEntries(Object.entries({ ...shown, rank: 1 }).reverse());
      });
      return json({
        pagination: { total: matches.length, current_page: page, last_page: Math.ceil(matches.length / 10) || 1 },
        passports: listed,
      });
    }
    const [, id] = /^\/api\/v1\/passports\/([^/]+)$/.exec(pathname) ?? [];
    if (id !== undefined) {
      const passport = passports.find(
        ({ passport_id, main_wallet }) => String(passport_id) === id || main_wallet?.toLowerCase() === id.toLowerCase(),
      );
      return passport === undefined ? json({ passport: null }) : json({ passport });
    }
    if (pathname === "/api/v1/passport_credentials") {
      const id = searchParams.get("passport_id");
      const credentials =
        people.find(({ passport }) => String(passport.passport_id) === id)?.credentials ?? people[0]?.credentials ?? [];
      return json({ passport_credentials: credentials.toReversed() });
    }
    return response.writeHead(400).end("?");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}
