import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { whenDone } from "../../service/testing/when-done.ts";
import { createClient } from "./client.ts";

type Golden = { name: string; path: string; status: number; etag: string | null };
const read = (file: string): Buffer => readFileSync(new URL(`../../contract/golden/${file}`, import.meta.url));
const goldens: Golden[] = JSON.parse(read("requests.json").toString());

/** A server that sends exactly the golden bytes. */
async function serveGoldens(): Promise<string> {
  const server = createServer((request, response) => {
    const golden = goldens.find(({ path }) => path === request.url);
    if (golden === undefined) return response.writeHead(500).end(`No golden answer for ${request.url}`);
    return response
      .writeHead(golden.status, golden.etag === null ? {} : { etag: golden.etag })
      .end(read(`${golden.name}.json`));
  }).listen(0, "127.0.0.1");
  whenDone(() => {
    server.close();
    server.closeAllConnections();
  });
  await new Promise((resolve) => server.once("listening", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const client = createClient({ baseUrl: await serveGoldens(), timeoutMs: 120_000 });

/** The call that sends the request of a golden answer. */
function call(path: string): Promise<unknown> {
  const { pathname, searchParams } = new URL(path, "http://golden.example");
  const number = (name: string) => (searchParams.has(name) ? Number(searchParams.get(name)) : undefined);
  if (pathname.endsWith("/passport_credentials")) return client.listCredentials(searchParams.get("passport_id") ?? "");
  if (!pathname.endsWith("/passports")) return client.findPassport(pathname.split("/").at(-1) ?? "");
  const keyword = searchParams.get("keyword") ?? undefined;
  return client.listPassports({ keyword, page: number("page"), perPage: number("per_page") });
}

const isCount = (value: unknown) => value === null || Number.isSafeInteger(value);

test.each(goldens)("$path", async ({ name, path, status }) => {
  const result = await call(path);
  const body = JSON.parse(read(`${name}.json`).toString());
  if (status === 404) expect(result).toBeNull();
  else if (name.startsWith("list")) {
    expect(result).toEqual(body);
  } else if (name.startsWith("credentials")) {
    expect(result).toEqual(body.passport_credentials);
  } else {
    const { passport_socials: socials, ...passport } = result as { passport_socials: Record<string, unknown>[] };
    for (const { followers, following } of socials) expect([followers, following].every(isCount)).toBe(true);
    // Without the counts, which the client adds, the passport is that of V1, with the same order of keys.
    const raw = socials.map(({ followers: _, following: __, ...social }) => social);
    const rest = { passport: { ...passport, passport_socials: raw } };
    expect(JSON.stringify(rest)).toBe(JSON.stringify(body));
  }
});

test("the counts of a golden passport are numbers next to the strings", async () => {
  const passport = await client.findPassport(1);
  expect(passport?.passport_socials[0]).toMatchObject({
    follower_count: "1024",
    followers: 1024,
    following_count: "128",
    following: 128,
  });
  expect(passport?.passport_socials[1]).toMatchObject({ follower_count: null, followers: null });
});
