import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import openapi from "@credence/contract/openapi.json" with { type: "json" };
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { acceptedCoding } from "#explorer/site/static-files.ts";
import { request, sendRaw } from "#testing/raw-http.ts";
import { serveDatabase, serving } from "#testing/serving.ts";

const people = JSON.parse(readFileSync(new URL("../../../../contract/golden/people.json", import.meta.url), "utf8"));

describe("documentation over HTTP", async () => {
  const { address, name } = await serving(people);

  async function load(path: string, headers: string[] = []) {
    const response = await fetch(address + path, {
      headers: headers.map((line) => line.split(": ") as [string, string]),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }
  const assetOf = async (kind: string) =>
    new RegExp(`/assets/${kind}\\.[0-9a-f]{10}\\.\\w+`).exec((await load("/docs")).text)?.[0] ?? "";

  test.each([
    ["/docs", "text/html; charset=utf-8"],
    ["/docs/", "text/html; charset=utf-8"],
    ["/docs.md", "text/markdown; charset=utf-8"],
    ["/llms.txt", "text/plain; charset=utf-8"],
    ["/deprecation", "text/html; charset=utf-8"],
    ["/deprecation.json", "application/json; charset=utf-8"],
    ["/openapi.json", "application/json; charset=utf-8"],
  ])("200: %s is %s with max-age of five minutes; 304: If-None-Match with its ETag", async (path, type) => {
    // Before midnight, no cache may keep the page of a day for five minutes.
    vi.useFakeTimers({ toFake: ["Date"], now: new Date().setUTCHours(12) });
    onTestFinished(() => void vi.useRealTimers());
    const { status, headers, text } = await load(path);
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe(type);
    expect(headers.get("cache-control")).toBe("public, max-age=300");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("vary")).toBe("Accept-Encoding");
    expect(text).toMatch(/deprecat/);
    const etag = headers.get("etag") ?? "";
    expect(etag).toMatch(/^W\//);
    const again = await load(path, [`If-None-Match: ${etag}`]);
    expect([again.status, again.text, again.headers.get("etag")]).toEqual([304, "", etag]);
    expect((await load(path, ['If-None-Match: W/"other"'])).status).toBe(200);
    const head = await fetch(address + path, { method: "HEAD" });
    expect([head.status, head.headers.get("content-type")]).toEqual([200, type]);
  });

  test.each(["/docs", "/deprecation"])(
    "the Content-Security-Policy of %s allows only files of this server",
    async (path) => {
      const { headers, text } = await load(path);
      expect(headers.get("content-security-policy")).toBe(
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
      );
      expect(text).not.toMatch(/<script(?! src="\/assets\/explorer\.[0-9a-f]{10}\.js" defer><\/script>)|\sstyle=/);
    },
  );

  test.each([
    ["explorer", "text/css; charset=utf-8"],
    ["icon", "image/svg+xml"],
  ])("the name of the %s file has a content hash, and the file is cached as immutable", async (kind, type) => {
    const path = await assetOf(kind);
    const { status, headers } = await load(path);
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe(type);
    expect(headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect((await load(path, [`If-None-Match: ${headers.get("etag")}`])).status).toBe(304);
  });

  test("404: an asset of another version, with the V1 error body", async () => {
    const { status, text } = await load("/assets/explorer.0000000000.css");
    expect(status).toBe(404);
    expect(JSON.parse(text)).toMatchObject({ code: "not_found" });
  });

  test("compresses with the accepted coding, below a size limit", async () => {
    const sizeOf = async (path: string, coding: string) => {
      const response = await sendRaw(address, request(path, [`Accept-Encoding: ${coding}`]));
      expect(response.headers["content-encoding"]).toBe(coding);
      return Number(response.headers["content-length"]);
    };
    expect(await sizeOf("/docs", "br")).toBeLessThan(9_000);
    expect(await sizeOf("/docs", "gzip")).toBeLessThan(9_000);
    expect(await sizeOf(await assetOf("explorer"), "gzip")).toBeLessThan(6_000);
    // fetch decompresses, so all codings give the same text.
    const [plain, br, gzip] = await Promise.all(
      ["identity", "br", "gzip"].map((coding) => load("/docs", [`Accept-Encoding: ${coding}`])),
    );
    const codings = [plain, br, gzip].map((response) => response?.headers.get("content-encoding"));
    expect(codings).toEqual([null, "br", "gzip"]);
    expect(br?.text).toBe(plain?.text);
    expect(gzip?.text).toBe(plain?.text);
    expect(new Set([plain, br, gzip].map((response) => response?.headers.get("etag"))).size).toBe(1);
  });

  test("openapi.json is the committed document with this server's URL, with CORS for any origin", async () => {
    const { headers, text } = await load("/openapi.json");
    expect(JSON.parse(text)).toEqual({ ...openapi, servers: [{ url: "https://v1.example" }] });
    expect(headers.get("access-control-allow-origin")).toBe("*");
  });

  test("with a path prefix, links contain the prefix and routes do not", async () => {
    const prefixed = await serveDatabase(name, { environment: { PUBLIC_URL: "https://v1.example//some/prefix/" } });
    const page = await (await fetch(`${prefixed.address}/docs`)).text();
    const links = [...page.matchAll(/href="(\/[^"]*)"/g)].map(([, path = ""]) => path);
    expect(links.length).toBeGreaterThan(5);
    for (const path of links) {
      expect(path).toMatch(/^\/some\/prefix\//);
      expect((await fetch(prefixed.address + path.slice("/some/prefix".length))).status, path).toBe(200);
    }
  });

  test("the page does not depend on host headers of the client or of a trusted proxy", async () => {
    const trusting = await serveDatabase(name, { environment: { TRUSTED_PROXIES: "127.0.0.0/8" } });
    const { text } = await load("/docs");
    for (const host of ["Host:", 'Host: <>"', "X-No: host", "X-Forwarded-Host: <>", "X-Forwarded-Proto: <>"]) {
      const response = await sendRaw(trusting.address, `GET /docs/?a HTTP/1.1\r\n${host}\r\nConnection: close\r\n\r\n`);
      expect(response.status).toBe(200);
      expect(response.body).toBe(text);
    }
  });

  test("/deprecation and /deprecation.json follow the calendar, and no cache keeps them across a change", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-12-31T14:00:00Z") });
    onTestFinished(() => void vi.useRealTimers());
    const server = await serveDatabase(name, {
      environment: { V1_SUNSET_AT: "2027-02-01", V1_BROWNOUTS: "2026-12-31T15:00:00Z/2026-12-31T16:00:00Z" },
    });
    const at = async (time: string) => {
      vi.setSystemTime(new Date(time));
      const [page, document] = await Promise.all(
        ["/deprecation", "/deprecation.json"].map((path) => fetch(server.address + path)),
      );
      expect(page?.headers.get("cache-control")).toBe(document?.headers.get("cache-control"));
      const title = /<h1>(.*)<\/h1>/.exec((await page?.text()) ?? "")?.[1];
      const { state, next_change } = JSON.parse((await document?.text()) ?? "");
      return [title, state, next_change?.at, page?.headers.get("cache-control")];
    };
    expect(await at("2026-12-31T14:00:00Z")).toEqual([
      ...["V1 ends in 32 days", "announced", "2026-12-31T15:00:00Z", "public, max-age=300"],
    ]);
    expect(await at("2026-12-31T14:59:00Z")).toEqual([
      ...["V1 ends in 32 days", "announced", "2026-12-31T15:00:00Z", "public, max-age=29"],
    ]);
    expect(await at("2026-12-31T15:00:00Z")).toEqual([
      ...["Off now. Back in 1 hour", "brownout", "2026-12-31T16:00:00Z", "public, max-age=149"],
    ]);
    expect(await at("2026-12-31T23:59:59Z")).toEqual([
      ...["V1 ends in 31 days", "announced", "2027-02-01T00:00:00Z", "public, max-age=0"],
    ]);
    expect(await at("2027-02-01T00:00:00Z")).toEqual(["V1 has ended", "gone", undefined, "public, max-age=300"]);
  });

  test("deprecation.ics is a calendar file", async () => {
    const { address } = await serveDatabase(name, { environment: { V1_SUNSET_AT: "2999-12-31" } });
    const response = await fetch(`${address}/deprecation.ics`);
    expect(response.headers.get("content-type")).toBe("text/calendar; charset=utf-8");
    expect(await response.text()).toMatch(/^BEGIN:VCALENDAR\r\n/);
    // Without dates there is no calendar.
    expect((await load("/deprecation.ics")).status).toBe(404);
  });

  test("deprecation.json has the documented fields, with CORS for any origin", async () => {
    const { headers, text } = await load("/deprecation.json");
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(JSON.parse(text)).toEqual({
      state: "active",
      deprecated_at: "2025-03-31T00:00:00Z",
      sunset_at: null,
      brownouts: [],
      next_change: null,
      docs_url: "https://v1.example/deprecation",
      successor_url: null,
      also_at: [],
    });
  });

  test("every curl and JavaScript example on the page works", async () => {
    const run = (file: string, args: string[]) => promisify(execFile)(file, args, { timeout: 20_000 });
    const markdown = (await load("/docs.md")).text.replaceAll("https://v1.example/api", `${address}/api`);
    const calls = [...markdown.matchAll(/```(sh|js)\n(.*?)\n```/gs)].filter(
      ([, , code]) => !code?.includes("YOUR_KEY"),
    );
    expect(calls).toHaveLength(6);
    for (const [, language, code = ""] of calls) {
      const { stdout } =
        language === "sh"
          ? await run("bash", ["-c", `${code} -w '%{http_code}' -o /dev/null`])
          : await run(process.execPath, ["--input-type=module", "--eval", code]);
      expect(stdout, code).toMatch(language === "sh" ? /^200$/ : /passport/);
    }
  });
});

describe("content codings", () => {
  test.each([
    [undefined, "identity"],
    ["", "identity"],
    ["gzip, deflate, br, zstd", "br"],
    ["gzip", "gzip"],
    ["GZIP;q=0.5", "gzip"],
    ["br;q=0, gzip;q=1.0", "gzip"],
    ["br; q=0.000, gzip; q=0", "identity"],
    ["*", "br"],
    ["*;q=0", "identity"],
    ["br;q=0, *", "gzip"],
    ["identity", "identity"],
  ])("%j gets %s", (header, coding) => {
    expect(acceptedCoding(header)).toBe(coding);
  });
});
