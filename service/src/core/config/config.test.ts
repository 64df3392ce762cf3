import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ConfigError, readConfig } from "./config.ts";
import { isLoopback } from "./config-values.ts";
import { findWideNetworks } from "./wide-networks.ts";

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
      nodes: ["127.0.0.1:9090"],
      publicUrl: "http://127.0.0.1:8080",
      authMode: "optional",
      trustedProxies: [],
      rateLimitAnonymous: 250,
      rateLimitKeys: 2_500,
      rateLimitExempt: [],
      deprecatedAt: new Date("2025-03-31T00:00:00Z"),
      sunsetAt: null,
      brownouts: [],
      successorUrl: null,
      v1AlsoAt: [],
      docsUrl: "http://127.0.0.1:8080/deprecation",
      hasExplorer: true,
      explorerIndex: false,
      operator: { name: null, contact: null, privacyUrl: null },
      standingMaxAgeMs: 900_000,
      usageRetentionDays: 400,
      decisionsFile: null,
      backupFolder: null,
      cacheMaxBytes: 48 * 1_024 ** 2,
      cacheMaxAgeMs: 30_000,
      optOutKeys: [],
      holderRequests: "off",
      holderKeys: [],
      eraseGraceMs: 72 * 3_600_000,
      isEraseGraceTooLong: false,
      databaseConnections: null,
      maxConnections: 10_000,
      maxConnectionsPerAddress: 256,
      drainDelayMs: 2000,
      logLevel: "info",
      isDemo: false,
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

  test("reads brownouts as a list of intervals", () => {
    const sunset = { V1_SUNSET_AT: "2027-06-30" };
    const text = "2027-01-10T15:00:00Z/2027-01-10T16:00:00Z, 2027-02-10/2027-02-11";
    expect(readConfig({ ...sunset, V1_BROWNOUTS: text }).brownouts).toEqual([
      { startsAt: new Date("2027-01-10T15:00:00Z"), endsAt: new Date("2027-01-10T16:00:00Z") },
      { startsAt: new Date("2027-02-10T00:00:00Z"), endsAt: new Date("2027-02-11T00:00:00Z") },
    ]);
    const adjacent = "2027-01-10/2027-01-11,2027-01-11/2027-01-12";
    expect(readConfig({ ...sunset, V1_BROWNOUTS: adjacent }).brownouts).toHaveLength(2);
  });

  test.each([
    ["falling", 'V1_BROWNOUTS is "falling": "falling" is not an interval; expected a comma-separated list'],
    ["2027-01-10", '"2027-01-10" is not an interval'],
    ["2027-01-10/2027-01-11,", '"" is not an interval'],
    ["2027-01-10/2027-02-30", '"2027-01-10/2027-02-30" is not an interval'],
    ["2027-01-10/2027-01-10", "V1_BROWNOUTS: 2027-01-10T00:00:00Z/2027-01-10T00:00:00Z does not end after its start"],
    ["2027-06-29/2027-06-30", "does not end before V1_SUNSET_AT"],
    ["2027-02-10/2027-02-11, 2027-01-10/2027-01-11", "expected the intervals in order."],
    ["2027-02-10/2027-02-12, 2027-02-11/2027-02-13", "expected intervals that do not overlap."],
  ])("refuses V1_BROWNOUTS=%s with one sentence", (text, sentence) => {
    const problems = problemsOf({ V1_SUNSET_AT: "2027-06-30", V1_BROWNOUTS: text });
    expect(problems).toEqual([expect.stringContaining(sentence)]);
    expect(problems[0]).toMatch(/expected .*\.$/);
  });

  test("lists every problem of the brownouts", () => {
    const text = "2027-02-10/2027-02-01, 2027-01-10/2027-07-01";
    expect(problemsOf({ V1_SUNSET_AT: "2027-06-30", V1_BROWNOUTS: text })).toHaveLength(3);
  });

  test("refuses V1_BROWNOUTS without a sunset", () => {
    const text = "2027-01-10/2027-01-11";
    expect(problemsOf({ V1_BROWNOUTS: text })).toEqual([
      "V1_BROWNOUTS: there is no sunset: expected V1_SUNSET_AT to be set too.",
    ]);
    expect(problemsOf({ V1_BROWNOUTS: text, V1_SUNSET_AT: "soon" })).toHaveLength(1);
  });

  test("reads a secret from a file, and does not print an invalid one", () => {
    const file = join(mkdtempSync(join(tmpdir(), "credence-")), "url");
    writeFileSync(file, "postgres://a:hush@db/credence\n");
    expect(readConfig({ DATABASE_URL_FILE: file }).databaseUrl).toBe("postgres://a:hush@db/credence");
    expect(problemsOf({ DATABASE_URL_FILE: "/nowhere" })).toHaveLength(1);
    writeFileSync(file, "\n");
    expect(problemsOf({ OPT_OUT_KEY_FILE: file })).toEqual(["The file that OPT_OUT_KEY_FILE names is empty."]);
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

  test.each(["postgres://a@one:5432,two:5432/credence", "postgres://a@/credence?host=one,two"])(
    "rejects DATABASE_URL=%s, because it does not name one server",
    (url) => {
      expect(problemsOf({ DATABASE_URL: url }).join()).toContain("expected one host");
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

  test("OPERATOR_NAME has at most 200 characters", () => {
    expect(readConfig({ OPERATOR_NAME: "x".repeat(200) }).operator.name).toBe("x".repeat(200));
    expect(problemsOf({ OPERATOR_NAME: "x".repeat(201) })[0]).toContain("expected at most 200 characters");
  });

  test.each([
    ["ops@v1.example", "mailto:ops@v1.example"],
    ["mailto:ops@v1.example", "mailto:ops@v1.example"],
    ["https://v1.example/contact", "https://v1.example/contact"],
  ])("OPERATOR_CONTACT: %s", (text, contact) => {
    expect(readConfig({ OPERATOR_CONTACT: text }).operator.contact).toBe(contact);
  });

  test.each(["ops", "http://v1.example", "javascript:alert(1)", "mailto:", "a b@c.example"])(
    "OPERATOR_CONTACT rejects %s",
    (text) => {
      expect(problemsOf({ OPERATOR_CONTACT: text })[0]).toContain("expected an e-mail address or an https:// URL");
    },
  );

  test("the explorer is on by default, and off if every request needs a key", () => {
    expect(readConfig({ AUTH_MODE: "required" }).hasExplorer).toBe(false);
    expect(readConfig({ EXPLORER: "off" }).hasExplorer).toBe(false);
    expect(problemsOf({ AUTH_MODE: "required", EXPLORER: "on" })[0]).toMatch(/^EXPLORER is on, but AUTH_MODE/);
  });

  const PUBLIC_URL = "https://v1.example";
  const HOLDER_KEY = "0123456789abcdef0123456789abcdef";

  test("HOLDER_REQUESTS is review by default if PUBLIC_URL and HOLDER_KEY are set, else off", () => {
    expect(readConfig({ PUBLIC_URL, HOLDER_KEY })).toMatchObject({
      holderRequests: "review",
      holderKeys: [HOLDER_KEY],
    });
    expect(readConfig({ PUBLIC_URL, HOLDER_KEY, HOLDER_REQUESTS: "on" }).holderRequests).toBe("on");
    expect(readConfig({ PUBLIC_URL, HOLDER_KEY, HOLDER_REQUESTS: "off" }).holderRequests).toBe("off");
    expect(readConfig({ PUBLIC_URL }).holderRequests).toBe("off");
    expect(readConfig({ HOLDER_KEY }).holderRequests).toBe("off");
    expect(readConfig({ HOLDER_REQUESTS: "off" }).holderRequests).toBe("off");
  });

  test.each(["review", "on"])("HOLDER_REQUESTS=%s needs PUBLIC_URL and HOLDER_KEY", (HOLDER_REQUESTS) => {
    for (const rest of [{}, { PUBLIC_URL }, { HOLDER_KEY }, { PUBLIC_URL: " ", HOLDER_KEY }]) {
      expect(problemsOf({ HOLDER_REQUESTS, ...rest })).toEqual([
        expect.stringContaining("needs PUBLIC_URL and HOLDER_KEY"),
      ]);
    }
  });

  test("HOLDER_KEY is a secret of its own, which no message contains", () => {
    expect(problemsOf({ HOLDER_KEY: "short" })).toEqual([expect.stringMatching(/^HOLDER_KEY is invalid: .*32/)]);
    const [problem, ...others] = problemsOf({ HOLDER_KEY, OPT_OUT_KEY: HOLDER_KEY });
    expect(others).toEqual([]);
    expect(problem).toMatch(/^HOLDER_KEY equals OPT_OUT_KEY/);
    expect(problem).not.toContain(HOLDER_KEY);
  });

  test("escapes characters that would end a URL in the Link header", () => {
    expect(readConfig({ V1_DOCS_URL: 'https://docs.example/?a=>"<' }).docsUrl).not.toMatch(/[<>"]/);
  });

  test.each([
    ["", []],
    ["/api/v2", ["/api/v2"]],
    [" /api/v2 , /a/b/c-1,/old ", ["/api/v2", "/a/b/c-1", "/old"]],
  ])("V1_ALSO_AT %j", (text, prefixes) => {
    expect(readConfig({ V1_ALSO_AT: text }).v1AlsoAt).toEqual(prefixes);
  });

  test.each([
    ["api/v2", "is no prefix"],
    ["/api/v2/", "is no prefix"],
    ["/API/v2", "is no prefix"],
    ["/a/b/c/d", "is no prefix"],
    ["/", "is no prefix"],
    ["/a/:id", "is no prefix"],
    ["/api/v1", "is used by this server itself"],
    ["/api/v1/x", "is used by this server itself"],
    ["/passports", "is used by this server itself"],
    ["/old/passports", "is used by this server itself"],
    ["/holder/v2", "is used by this server itself"],
    ["/a,/a", "/a is listed twice"],
    ["/a,/b,/c,/d,/e", "expected at most 4 paths"],
  ])("V1_ALSO_AT %j is refused: %s", (text, problem) => {
    expect(() => readConfig({ V1_ALSO_AT: text })).toThrow(problem);
  });
});

test.each([
  [{}, ["127.0.0.1:9090"]],
  [{ PRIVATE_HOST: "0.0.0.0", PRIVATE_PORT: "9091" }, ["127.0.0.1:9091"]],
  [{ PRIVATE_HOST: "::" }, ["[::1]:9090"]],
  [{ PRIVATE_HOST: "fd00::5" }, ["[fd00::5]:9090"]],
  [{ PRIVATE_PORT: "0" }, []],
  [{ NODES: "none" }, []],
  [{ NODES: "10.0.0.5:9090, node-2:9091,[fd00::5]:1" }, ["10.0.0.5:9090", "node-2:9091", "[fd00::5]:1"]],
])("commands ask these nodes with %j", (environment, nodes) => {
  expect(readConfig(environment as Record<string, string>).nodes).toEqual(nodes);
});

test.each(["node", "node:0", "http://node:1", "node:1,", "fd00::5:9090", "node:70000", "a/b:1"])(
  "NODES=%s is refused",
  (NODES) => {
    expect(problemsOf({ NODES })).toEqual([expect.stringContaining("expected the private addresses of all nodes")]);
  },
);

test.each([
  ["0.0.0.0/0", true],
  ["10.0.0.0/8", true],
  ["172.16.0.0/12", true],
  ["10.1.0.0/16", false],
  ["127.0.0.0/8", false],
  ["::/0", true],
  ["fd00:1::/32", true],
  ["fd00:1:2::/48", false],
])("%s is wider than the network of a site: %s", (network, isWide) => {
  expect(findWideNetworks([network])).toEqual(isWide ? [network] : []);
});
