import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ConfigError, readConfig } from "./config.ts";
import { isLoopback } from "./config-values.ts";

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe("readConfig", () => {
  test("has a default for every variable", () => {
    expect(readConfig({})).toEqual({
      databaseUrl: null,
      databaseReadUrl: null,
      host: "127.0.0.1",
      port: 8080,
      privateHost: "127.0.0.1",
      privatePort: 9090,
      publicUrl: "http://127.0.0.1:8080",
      authMode: "optional",
      trustedProxies: [],
      deprecatedAt: new Date("2025-03-31T00:00:00Z"),
      sunsetAt: null,
      successorUrl: null,
      docsUrl: "http://127.0.0.1:8080/docs",
      standingMaxAgeMs: 900_000,
      cacheMaxBytes: 48 * 1_024 ** 2,
      cacheMaxAgeMs: 30_000,
      optOutKey: null,
      databaseConnections: null,
      maxConnections: 10_000,
      maxConnectionsPerAddress: 256,
      drainDelayMs: 2000,
      logLevel: "info",
    });
  });

  test("treats an empty variable as unset", () => {
    expect(readConfig({ PORT: "", PUBLIC_URL: " " })).toEqual(readConfig({}));
  });

  test("lists all problems at once, each with the expected format", () => {
    const problems = problemsOf({
      PORT: "http",
      PUBLIC_URL: "v1.example",
      TRUSTED_PROXIES: "1",
      V1_DEPRECATED_AT: "soon",
      DRAIN_DELAY: "2",
      LOG_LEVEL: "loud",
      DATABASE_URL: "localhost",
    });
    expect(problems).toHaveLength(7);
    expect(problems.every((problem) => /expected /.test(problem))).toBe(true);
  });

  test.each(["true", "1", "10.0.0.0/33", "10.0.0/8", "10.0.0.0/8/8", "::/129"])(
    "refuses TRUSTED_PROXIES=%s",
    (text) => {
      expect(problemsOf({ TRUSTED_PROXIES: text })).toHaveLength(1);
    },
  );

  test("accepts networks and single addresses, IPv4 and IPv6, in TRUSTED_PROXIES", () => {
    expect(readConfig({ TRUSTED_PROXIES: "10.0.0.0/8, ::1" }).trustedProxies).toEqual(["10.0.0.0/8", "::1/128"]);
  });

  test.each([
    [{ HOST: "nosuch.example" }],
    [{ HOST: "300.1.1.1" }],
    [{ PRIVATE_HOST: "nosuch.example" }],
    [{ PORT: "9000", PRIVATE_PORT: "9000" }],
    [{ V1_SUNSET_AT: "2027-02-30" }],
    [{ V1_SUNSET_AT: "2027-13-01T00:00:00Z" }],
  ])("refuses %j", (environment) => {
    expect(problemsOf(environment as Record<string, string>)).toHaveLength(1);
  });

  test("uses localhost in the default PUBLIC_URL when HOST is a wildcard address", () => {
    expect(readConfig({ HOST: "0.0.0.0" }).publicUrl).toBe("http://localhost:8080");
    expect(readConfig({ HOST: "::1" }).publicUrl).toBe("http://[::1]:8080");
  });

  test("keeps the private port on the loopback address, whatever HOST is", () => {
    expect(readConfig({ HOST: "0.0.0.0" }).privateHost).toBe("127.0.0.1");
    expect(readConfig({ PRIVATE_HOST: "10.1.2.3" }).privateHost).toBe("10.1.2.3");
  });

  test.each(["127.0.0.1", "127.9.9.9", "::1", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1", "localhost"])(
    "%s is a loopback address",
    (host) => expect(isLoopback(host)).toBe(true),
  );

  test.each(["0.0.0.0", "::", "10.0.0.1", "2001:db8::1", "::ffff:10.0.0.1"])("%s is not a loopback address", (host) =>
    expect(isLoopback(host)).toBe(false),
  );

  test("refuses a sunset before the deprecation", () => {
    expect(problemsOf({ V1_SUNSET_AT: "2025-01-01" })).toHaveLength(1);
    expect(readConfig({ V1_SUNSET_AT: "2027-01-01" }).sunsetAt).toEqual(new Date("2027-01-01T00:00:00Z"));
  });

  test("reads a secret from a file, and does not print an invalid one", () => {
    const file = join(mkdtempSync(join(tmpdir(), "credence-")), "url");
    writeFileSync(file, "postgres://a:hush@db/credence\n");
    expect(readConfig({ DATABASE_URL_FILE: file }).databaseUrl).toBe("postgres://a:hush@db/credence");
    expect(problemsOf({ DATABASE_URL_FILE: "/nowhere" })).toHaveLength(1);
    expect(problemsOf({ DATABASE_URL: "mysql://a:hush@db" }).join()).not.toContain("hush");
  });

  test.each(["p@hush#word", "hu@sh", "hush#", "hush/x", "1/hush", "1/hu=sh", "hush?", "1?hush"])(
    "refuses the password %s in a database URL unless it is percent-encoded",
    (password) => {
      const urlWith = (text: string) => `postgres://ada:${text}@127.0.0.1:5432/credence?sslmode=disable`;
      for (const name of ["DATABASE_URL", "DATABASE_READ_URL"]) {
        const [problem, ...others] = problemsOf({ [name]: urlWith(password) });
        expect(others).toEqual([]);
        expect(problem).toContain(`${name} is invalid`);
        expect(problem).toContain("percent-encoded as %40 %2F %3F %23");
        expect(problem).not.toMatch(/hu@?=?sh/);
      }
      const encoded = urlWith(encodeURIComponent(password));
      expect(readConfig({ DATABASE_URL: encoded }).databaseUrl).toBe(encoded);
    },
  );

  test.each([
    "postgres:///credence?host=/var/run/postgresql&user=ada@example.org",
    "postgres://localhost/credence?user=ada&password=p@ss",
    "postgresql://ada:a:b@db/credence",
    "postgres://ada@[::1]:5432/credence",
  ])("accepts DATABASE_URL=%s", (url) => {
    expect(readConfig({ DATABASE_URL: url }).databaseUrl).toBe(url);
  });

  test.each(["PUBLIC_URL", "V1_DOCS_URL", "V1_SUCCESSOR_URL"])("refuses a user or a password in %s", (name) => {
    for (const address of ["https://ada:hush@v1.example", "https://hush@v1.example", "https://:hush@v1.example"]) {
      expect(problemsOf({ [name]: address })).toEqual([
        `${name} is "https://…@v1.example": expected a URL without user and password.`,
      ]);
    }
    expect(problemsOf({ [name]: "ada:hush@v1.example" }).join()).not.toContain("hush");
  });

  test("escapes characters that would end a URL in the Link header", () => {
    expect(readConfig({ V1_DOCS_URL: 'https://docs.example/?a=>"<' }).docsUrl).not.toMatch(/[<>"]/);
  });
});
