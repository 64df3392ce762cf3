import { METHODS } from "node:http";
import { connect } from "node:net";
import { errorBody } from "@credence/contract/errors.ts";
import { describe, expect, test } from "vitest";
import { person } from "#testing/people.ts";
import { request, sendRaw } from "#testing/raw-http.ts";
import { serving } from "#testing/serving.ts";
import { expectError, expectV1Headers } from "#testing/v1-shape.ts";

const PATHS = ["/api/v1/passports", "/api/v1/passports/1", "/api/v1/passport_credentials?passport_id=1"];

describe("V1 over HTTP", async () => {
  const { address } = await serving([person(1)]);

  describe.each(PATHS)("%s", (path) => {
    const get = (headers: Record<string, string> = {}, method = "GET") => fetch(address + path, { method, headers });

    test("304: If-None-Match with the ETag, in a list, weak or strong, or *", async () => {
      const etag = (await get()).headers.get("etag") ?? "";
      expect(etag).toMatch(/^W\/"[\w-]{22}"$/);
      for (const value of [etag, `"other", ${etag}`, `${etag} , W/"x"`, etag.replace("W/", ""), "*", " * "]) {
        const response = await get({ "If-None-Match": value });
        expect(response.status).toBe(304);
        expect(await response.text()).toBe("");
        expect(response.headers.get("etag")).toBe(etag);
        expect(response.headers.get("cache-control")).toMatch(/^public, max-age=60/);
        expect(response.headers.get("vary")).toBe("Accept-Encoding, X-API-KEY");
        expectV1Headers({ status: 304, headers: response.headers });
      }
      for (const value of ['"other"', "", "W/", '"', etag.slice(0, -1), etag.toLowerCase().replace("w/", "W/x")]) {
        expect((await get({ "If-None-Match": value })).status).toBe(200);
      }
    });

    test("HEAD has the headers of GET and no body", async () => {
      const [head, full] = [await get({}, "HEAD"), await get()];
      expect(head.status).toBe(200);
      expect(await head.text()).toBe("");
      const body = await full.text();
      for (const name of ["etag", "cache-control", "vary", "deprecation", "link", "content-type", "content-length"]) {
        expect(head.headers.get(name)).toBe(full.headers.get(name));
      }
      expect(head.headers.get("content-length")).toBe(String(Buffer.byteLength(body)));
    });

    test("204: a preflight request lists the allowed methods and headers", async () => {
      const response = await get({ Origin: "https://app.example", "Access-Control-Request-Method": "GET" }, "OPTIONS");
      expect(response.status).toBe(204);
      expectV1Headers({ status: 204, headers: response.headers });
      expect(response.headers.get("access-control-allow-methods")).toBe("GET, HEAD, OPTIONS");
      expect(response.headers.get("access-control-allow-headers")).toBe(
        "X-API-KEY, Content-Type, Accept, If-None-Match, Authorization, Cache-Control, Pragma, X-Requested-With",
      );
      expect(response.headers.get("access-control-max-age")).toBe("7200");
    });

    test.each(METHODS.filter((method) => !["GET", "HEAD", "OPTIONS", "CONNECT"].includes(method)))(
      "405: %s, before the key and the body are checked",
      async (method) => {
        const headers = ["X-API-KEY: k", "Content-Type: application/json", "Content-Length: 5"];
        const response = await sendRaw(address, `${request(path, headers, method)}{"a":`);
        expectError(response, "method_not_allowed");
        expect(response.headers.allow).toBe("GET, HEAD, OPTIONS");
      },
    );
  });

  test("405: CONNECT, which Node.js does not pass to the framework", async () => {
    expectError(await sendRaw(address, request("v1.example:443", [], "CONNECT")), "method_not_allowed");
  });

  test.each([
    ["an invalid request line", "nonsense\r\n\r\n"],
    ["an unknown method", request("/api/v1/passports", [], "FETCH")],
    ["a header without a colon", "GET / HTTP/1.1\r\nHost\r\n\r\n"],
    ["two Content-Length headers", "GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"],
    [
      "Content-Length with Transfer-Encoding",
      "GET / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
    ],
    ["another protocol", "SSH-2.0-x\r\n\r\n"],
    ["a NUL in the request target", "GET /api/v1/passports/\0 HTTP/1.1\r\n\r\n"],
  ])("400: %s", async (_, bytes) => {
    expectError(await sendRaw(address, bytes), "bad_request");
  });

  test.each([
    ["no Host", "GET /api/v1/passports/1 HTTP/1.1\r\nConnection: close\r\n\r\n"],
    ["two Hosts", request("/api/v1/passports/1", ["Host: y"])],
    ["an invalid Host", "GET /api/v1/passports/1 HTTP/1.1\r\nHost: <>\"'\r\nConnection: close\r\n\r\n"],
    ["an unknown Expect", request("/api/v1/passports/1", ["Expect: 200-ok"])],
    ["an absolute request target", request("http://other.example/api/v1/passports/1")],
    ["doubled slashes", request("//api//v1///passports//1//")],
    ["an Upgrade header", request("/api/v1/passports/1", ["Connection: upgrade, close", "Upgrade: h2c"])],
    ["HTTP/1.0", "GET /api/v1/passports/1 HTTP/1.0\r\n\r\n"],
    ["a body", `${request("/api/v1/passports/1", ["Content-Type: application/json", "Content-Length: 5"])}{"a":`],
    ["an Accept without JSON", request("/api/v1/passports/1", ["Accept: text/html;q=1, */*;q=0"])],
  ])("200: %s is accepted", async (_, bytes) => {
    const response = await sendRaw(address, bytes);
    expect(response.status).toBe(200);
    expect(response.body).toContain('"passport_id":1,');
    expectV1Headers(response);
  });

  test.each(["/api", "/api/v1", "/api/v", "/api/versions/1", "/human_checkmark", "/wp-login.php"])(
    "404 with the code unknown_path: %s",
    async (path) => {
      const response = await sendRaw(address, request(path));
      expectError(response, "unknown_path");
      expect(response.headers["cache-control"]).toBe("no-store");
    },
  );

  test.each([
    ...["/api/v2/passports", "/api/v2/passports/1", "//api//v2//passports/0xABC/", "/api/v2/passport_credentials?a=1"],
    ...[
      "/API/V1/passports",
      "/passports",
      "/api/v1/score",
      "/score?id=1",
      "/scores/",
      "/api/v2/passport%73/1",
      "/api/v1/passport",
      "/api/v1/passport_credentials/1",
      "/api/v1/passports/1/credentials",
      "/api/v1/passports/1/%zz",
      "/api/v1/passports/a/b/c",
      "//api/v1//passports/1//2",
      "/api/v1/passport%73/1/x",
      "/%61pi/v1/passports/1/x",
      "/api/v2/human_checkmark?id=1",
      "/api/v1/talents/1",
      "/api/v12/data_points",
      "/api/v1/profiles/1/",
      "http://other/api/v9/passports/1",
    ],
  ])("400 with the code unknown_path, never a 404: %s", async (path) => {
    const response = await sendRaw(address, request(path));
    expect(response).toMatchObject({ status: 400, body: errorBody("unknown_path") });
    expect(response.headers["cache-control"]).toBe("no-store");
    expectV1Headers(response);
    const head = await sendRaw(address, request(path).replace("GET", "HEAD"));
    expect(head).toMatchObject({ status: 400, body: "" });
    expect((await sendRaw(address, request(path).replace("GET", "OPTIONS"))).status).toBe(204);
  });

  test.each(["/api/v1/nothing", "/api/v2/passports/1"])(
    "400 with the code unknown_path with any method and any key, also where a key is required: %s",
    async (path) => {
      const server = await serving([], { environment: { AUTH_MODE: "required" } });
      for (const bytes of [request(path, [], "POST"), request(path, ["X-API-KEY: unknown"]), request(path)])
        expect(await sendRaw(server.address, bytes)).toMatchObject({ status: 400, body: errorBody("unknown_path") });
    },
  );

  test.each([
    ...["/api/v1/passports/1%2Fx", "/api/v1/passports/%2F", "/api/v1/passports/%zz/", "//api/v1//passports//x//"],
  ])("404 with the code not_found: %s", async (path) => {
    expectError(await sendRaw(address, request(path)), "not_found");
  });

  test("400: incomplete headers, after a timeout", async () => {
    expectError(await sendRaw(address, "GET /api/v1/passports HTTP/1.1\r\nHost: x\r\nX-Slow: "), "bad_request");
  });

  test("closes a connection without a request, without a response", async () => {
    const { hostname, port } = new URL(address);
    const { promise, resolve } = Promise.withResolvers<string>();
    let text = "";
    const socket = connect(Number(port), hostname);
    socket.on("data", (chunk) => (text += chunk));
    socket.on("close", () => resolve(text));
    expect(await promise).toBe("");
  });

  test("responds to a request before it rejects invalid bytes in the same packet", async () => {
    const { hostname, port } = new URL(address);
    const { promise, resolve } = Promise.withResolvers<string>();
    let text = "";
    const socket = connect(Number(port), hostname, () =>
      socket.write("GET /api/v1/passports/1 HTTP/1.1\r\nHost: x\r\n\r\ngarbage\r\n\r\n"),
    );
    socket.on("data", (chunk) => (text += chunk));
    socket.on("close", () => resolve(text));
    const statuses = [...(await promise).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
    expect(statuses).toEqual([200, 400]);
  });

  test("responds to pipelined requests in order, and closes the connection after invalid bytes", async () => {
    const { hostname, port } = new URL(address);
    const { promise, resolve } = Promise.withResolvers<string>();
    let text = "";
    const socket = connect(Number(port), hostname, () => {
      const keepAliveGet = (id: string) => `GET /api/v1/passports/${id} HTTP/1.1\r\nHost: x\r\n\r\n`;
      socket.write(`${keepAliveGet("1")}${keepAliveGet("2")}${keepAliveGet("1")}`);
    });
    socket.on("data", (chunk) => {
      text += chunk;
      if (text.split("HTTP/1.1 ").length === 4) socket.write("garbage\r\n\r\n");
    });
    socket.on("close", () => resolve(text));
    const statuses = [...(await promise).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
    expect(statuses).toEqual([200, 404, 200, 400]);
  });
});
