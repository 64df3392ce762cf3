import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { processRequests } from "#holders/manage/process-requests.ts";
import { createWallet } from "#holders/proof/create-wallet.ts";
import { hide } from "#testing/decide.ts";
import { HOLDER_ENVIRONMENT, post } from "#testing/holder-client.ts";
import { HOLDERS_ON, signedRequest } from "#testing/holders.ts";
import { person } from "#testing/people.ts";
import { serveDatabase, serving } from "#testing/serving.ts";
import { UNLIMITED } from "#testing/unlimited.ts";
import { evmWallet, solanaWallet } from "#testing/wallets.ts";
import { openHolderRequests } from "./requests.ts";

const [ada, sol, hidden, stranger] = [
  evmWallet("ada"),
  solanaWallet("sol"),
  evmWallet("hidden"),
  evmWallet("stranger"),
];
const environment = { ...HOLDER_ENVIRONMENT, OPERATOR_CONTACT: "ops@v1.example" };
const PEOPLE = [ada, sol, hidden].map(({ address }, index) => person(index + 1, { main_wallet: address }));
const UNKNOWN = "0".repeat(32);

describe("requests of holders", async () => {
  const { address, name, database, logs } = await serving(PEOPLE, { environment });
  await hide(database, [3]);
  const url = `${address}/holder/requests`;
  const work = () => processRequests(database, HOLDERS_ON, (error) => expect.unreachable(String(error)));
  const count = async () => (await database.query("select from holder_request")).rowCount;
  /** While a worker runs. */
  async function worked<Result>(answer: Promise<Result>): Promise<Result> {
    let isDone = false;
    void answer.finally(() => (isDone = true)).catch(() => {});
    while (!isDone) {
      await work();
      await delay(10);
    }
    return answer;
  }
  const getJson = async (path: string) => {
    const response = await fetch(address + path, { headers: { accept: "application/json" } });
    return [response.status, (await response.json()) as Record<string, unknown>] as const;
  };
  const ask = (query: Record<string, string>) => getJson(`/holder?${new URLSearchParams(query)}`);

  test.each([
    ["hide", "your record is hidden"],
    ["show", "your record is shown again"],
    ["erase", "Hidden now, erased in"],
  ] as const)("303: %s, and the first page is the result", async (wish, heading) => {
    const response = await worked(post(url, signedRequest(sol, wish), "form"));
    expect([response.status, response.headers.get("clear-site-data")]).toEqual([303, '"cache"']);
    const location = response.headers.get("location") ?? "";
    expect(location).toMatch(/^\/holder\/requests\/[0-9a-f]{32}$/);
    const page = await fetch(address + location);
    expect([page.status, page.headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(await page.text()).toContain(heading);
  });

  test("202: a program gets the code and the state", async () => {
    const [, { message = "" }] = (await ask({ wallet: ada.address, want: "hide" })) as [number, { message?: string }];
    const sent = await worked(post(url, { message, signature: ada.sign(message) }));
    const { code, state } = (await sent.json()) as Record<string, string>;
    expect([sent.status, state]).toEqual([202, "done"]);
    expect(await getJson(`/holder/requests/${code}`)).toMatchObject([
      ...[200, { wish: "hide", state: "done", passport_ids: [1], note: null }],
    ]);
  });

  test("a request is stored once, if it is sent again, twice at once, or to another node", async () => {
    const other = await serveDatabase(name, { environment });
    const request = signedRequest(ada, "show");
    const before = (await count()) ?? 0;
    const send = () => [url, url, `${other.address}/holder/requests`].map((to) => post(to, request));
    const codes: unknown[] = [];
    for (let round = 0; round < 2; round += 1) {
      for (const response of await worked(Promise.all(send()))) {
        expect(response.status).toBe(202);
        codes.push(((await response.json()) as { code: string }).code);
      }
    }
    expect([new Set(codes).size, await count()]).toEqual([1, before + 1]);
  });

  test("without a worker, 20 wait for two seconds, others are answered at once, and nobody is delayed", async () => {
    const { awaitState } = openHolderRequests(database);
    const answered: number[] = [];
    const started = performance.now();
    const waiting = Array.from({ length: 24 }, (_, index) =>
      awaitState(UNKNOWN).then((state) => {
        answered.push(index);
        return state;
      }),
    );
    await delay(0);
    expect(answered).toEqual([20, 21, 22, 23]);
    expect((await fetch(`${address}/holder`)).status).toBe(200);
    expect(await Promise.all(waiting)).toEqual(Array(24).fill(null));
    expect(performance.now() - started).toBeGreaterThan(1_900);
  });

  test("nothing is said about who is stored before a worker has seen the signature", async () => {
    const mask = (text: string) =>
      text.replaceAll(/\b0x\w{40}\b|Nonce: \w+|\d\d:\d\d(:\d\d)?|[0-9a-f]{32}|\d{4}-[\d-]+T[\d:.]+Z/gi, "");
    const seen = async (wallet: typeof ada) => {
      const query = new URLSearchParams({ wallet: wallet.address, want: "erase" });
      const text = await (await fetch(`${address}/holder?${query}`)).text();
      const sent = await post(url, signedRequest(wallet, "erase"), "form");
      const page = await fetch(address + sent.headers.get("location"));
      return [sent.status, sent.headers.get("clear-site-data"), mask(text), mask(await page.text())];
    };
    const [stored, ofHidden, unknown] = await Promise.all([ada, hidden, stranger].map(seen));
    expect(ofHidden).toEqual(stored);
    expect(unknown).toEqual(stored);
    await database.query("delete from holder_request where state = 'received'");
  });

  test("400: requests without proof, and nothing is stored", async () => {
    const before = await count();
    const valid = signedRequest(ada, "hide");
    const wrong = {
      form: { message: "Hide me.", signature: ada.sign("Hide me.") },
      expired: signedRequest(ada, "hide", { now: new Date(Date.now() - 600_000) }),
      early: signedRequest(ada, "hide", { now: new Date(Date.now() + 90_000) }),
      domain: signedRequest(ada, "hide", { publicUrl: "https://v1.example.org" }),
      nonce: { ...valid, message: valid.message.replace("Hide", "Ask the operator to hide") },
      signature: { ...valid, signature: stranger.sign(valid.message) },
      signature_form: { ...valid, signature: " 0x1234 " },
    };
    for (const [code, body] of Object.entries(wrong)) {
      const response = await post(url, body);
      expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([400, code]);
      const page = await post(url, body, "form");
      const text = await page.text();
      expect([page.status, text.includes('role="alert"')]).toEqual([400, true]);
      // The page has a text to sign: the same if only the signature is wrong, else a new one.
      const [, shown = ""] = /<code id="message">([^<]*)</.exec(text) ?? [];
      if (code === "form") expect(shown).toBe("");
      else
        expect([shown.includes("v1.example wants"), shown === valid.message]).toEqual([true, code.startsWith("sig")]);
    }
    // The form of the signature before the age of the text, and the page has a new text at once.
    const both = { ...wrong.expired, signature: "0x1234" };
    expect(await (await post(url, both)).json()).toMatchObject({ code: "signature_form" });
    expect(await (await post(url, both, "form")).text()).not.toContain('aria-invalid="true"');
    expect(await count()).toBe(before);
  });

  test.each([
    ["413: 8 KiB and one byte", 413, "too_large", { "content-type": "application/json" }, `"${"x".repeat(8_191)}"`],
    ["415: another type", 415, "media_type", { "content-type": "text/xml" }, "<a/>"],
    ["400: no JSON", 400, "unreadable", { "content-type": "application/json" }, "{"],
    ["400: no texts", 400, "unreadable", { "content-type": "application/json" }, '{"message":{"a":1}}'],
    ["400: an empty body", 400, "form", { "content-type": "application/x-www-form-urlencoded" }, ""],
  ])("%s", async (_name, status, code, headers, body) => {
    const response = await fetch(url, { method: "POST", headers, body });
    const text = await response.text();
    expect(response.status).toBe(status);
    if (headers["content-type"] === "application/json") expect(JSON.parse(text).code).toBe(code);
    else expect(text).toContain('role="alert"');
  });

  test("404: a code that no request has", async () => {
    for (const code of [UNKNOWN, "x", "%3Cscript%3E", "a%00b"]) {
      expect(await getJson(`/holder/requests/${code}`)).toMatchObject([404, { code: "code" }]);
      const page = await fetch(`${url}/${code}`);
      expect([page.status, (await page.text()).includes("<script>")]).toEqual([404, false]);
    }
  });

  test("a program gets the text to sign with its parts; a page has the same in a form", async () => {
    const [status, { message, ...parts }] = await ask({ wallet: ada.address, want: "erase" });
    expect(status).toBe(200);
    expect(parts).toEqual({
      ...{ want: "erase", wallet: ada.address, domain: "v1.example", uri: "https://v1.example/holder" },
      ...{ statement: expect.stringContaining("after 72 hours"), nonce: expect.stringMatching(/^[0-9a-f]+$/) },
      issued_at: expect.stringMatching(/Z$/),
      expires_at: new Date(Date.parse(String(parts.issued_at)) + 600_000).toISOString(),
    });
    expect(message).toContain(parts.statement);
    expect(await ask({})).toMatchObject([400, { code: "want" }]);
    expect(await ask({ wallet: "x", want: "hide" })).toMatchObject([400, { code: "wallet" }]);
    expect(await ask({ wallet: ada.address, want: "all" })).toMatchObject([400, { code: "want" }]);
    const load = async (query: Record<string, string>) => {
      const response = await fetch(`${address}/holder?${new URLSearchParams(query)}`);
      return [response.status, await response.text()] as const;
    };
    const upper = ada.address.toUpperCase().replace("0X", "0x");
    expect((await load({ wallet: upper, want: "hide" }))[1]).toContain("v1.example wants you to sign in");
    // A link to the form is no mistake; a form without a choice is.
    expect((await load({ want: "hide" }))[0]).toBe(200);
    expect((await load({ wallet: ada.address, want: "" }))[0]).toBe(400);
    const [refused, page] = await load({ wallet: '"><script>', want: "hide" });
    expect([refused, page.includes('"><script>'), page.includes('aria-invalid="true"')]).toEqual([400, false, true]);
  });

  test("a text promises what the server is set to", async () => {
    const careful = await serveDatabase(name, {
      environment: { ...environment, HOLDER_REQUESTS: "review", ERASE_GRACE: "10d" },
    });
    const query = new URLSearchParams({ wallet: ada.address, want: "erase" });
    const text = await (await fetch(`${careful.address}/holder?${query}`)).text();
    expect(text).toContain("Ask the operator to erase");
    expect(text).toContain("after 10 days");
  });

  test("429: a request costs 50 points", async () => {
    const limited = await serveDatabase(name, { environment: { ...environment, RATE_LIMIT_ANONYMOUS: "250" } });
    const statuses: number[] = [];
    for (let n = 0; n < 6; n++) statuses.push((await post(`${limited.address}/holder/requests`, {})).status);
    expect(statuses).toEqual([400, 400, 400, 400, 400, 429]);
  });

  test("503: three requests of the wallet wait for a worker", async () => {
    const send = () => post(url, signedRequest(stranger, "show"));
    expect((await Promise.all([send(), send(), send()])).map(({ status }) => status)).toEqual([202, 202, 202]);
    expect((await send()).status).toBe(503);
    await work();
  });

  test("no other site may send or read them, browsers store nothing, and other methods are refused", async () => {
    const preflight = await fetch(url, {
      method: "OPTIONS",
      headers: { origin: "https://other.example", "access-control-request-method": "POST" },
    });
    expect(preflight.status).toBe(204);
    const responses = [
      preflight,
      await fetch(`${address}/holder`),
      await post(url, {}),
      await fetch(`${url}/${UNKNOWN}`),
    ];
    for (const response of responses) {
      expect(response.headers.get("access-control-allow-origin")).toBeNull();
      expect(response.headers.get("set-cookie")).toBeNull();
    }
    for (const response of responses.slice(1)) expect(response.headers.get("cache-control")).toBe("no-store");
    const methods = [
      ...[
        await fetch(url, { method: "PUT", body: "{" }),
        await fetch(`${address}/holder`, { method: "POST", body: "{" }),
      ],
      await fetch(`${url}/${UNKNOWN}`, { method: "DELETE" }),
    ];
    expect(methods.map(({ status }) => status)).toEqual([405, 405, 405]);
  });

  test("nothing secret is logged", async () => {
    const { message, signature } = signedRequest(ada, "show");
    const { code } = (await (await worked(post(url, { message, signature }))).json()) as { code: string };
    await fetch(`${url}/${code}`);
    for (const text of [signature, code]) expect(logs.join("\n")).not.toContain(text);
  });

  test("with HOLDER_REQUESTS=off the pages show the contact, and nothing is accepted", async () => {
    const off = await serveDatabase(name, { environment: { ...UNLIMITED, OPERATOR_CONTACT: "ops@v1.example" } });
    expect(await (await fetch(`${off.address}/holder`)).text()).toContain("ops@v1.example");
    for (const as of ["form", "json"] as const)
      expect((await post(`${off.address}/holder/requests`, signedRequest(ada, "hide"), as)).status).toBe(404);
  });

  test("works after the end of V1, and without pages about people", async () => {
    const ended = await serveDatabase(name, {
      environment: { ...environment, V1_SUNSET_AT: "2026-01-01", EXPLORER: "off" },
    });
    expect((await fetch(`${ended.address}/holder`)).status).toBe(200);
    expect((await worked(post(`${ended.address}/holder/requests`, signedRequest(stranger, "hide")))).status).toBe(202);
  });
});

describe("the demo", async () => {
  const wallet = createWallet();
  const demoWallet = { ...wallet, passportId: 1 };
  const demo = { environment: HOLDER_ENVIRONMENT, isDemo: true, demoWallet } as const;
  const { address, name, database } = await serving([person(1, { main_wallet: wallet.address })], demo);
  const signAt = (server: string, message: string) => post(`${server}/holder/demo-signature`, { message });

  test("signs a text that this server has issued for the demo wallet, and nothing else", async () => {
    const issued = signedRequest(wallet, "hide").message;
    const refused = {
      form: "Give me all your money.",
      expired: signedRequest(wallet, "hide", { now: new Date(Date.now() - 86_400_000) }).message,
      domain: signedRequest(wallet, "hide", { publicUrl: "https://bank.example" }).message,
      nonce: issued.replace("Hide", "Ask the operator to hide"),
      signature: signedRequest(stranger, "hide").message,
    };
    for (const [code, message] of Object.entries(refused)) {
      const response = await signAt(address, message);
      expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([400, code]);
    }
    expect((await database.query("select from holder_request")).rowCount).toBe(0);
    expect((await signAt(address, issued)).status).toBe(202);
    expect((await database.query("select address from holder_request")).rows).toEqual([{ address: wallet.address }]);
  });

  test.each([
    ["serve on the database of the demo", {}],
    ["the demo on another address than loopback", { isDemo: true, demoWallet, environment: { HOST: "0.0.0.0" } }],
    ["a server that is no demo, even with a wallet", { demoWallet }],
  ] as const)(
    "%s has neither the route nor the button",
    async (_name, options: Parameters<typeof serveDatabase>[1]) => {
      const other = await serveDatabase(name, {
        ...options,
        environment: { ...HOLDER_ENVIRONMENT, ...options?.environment },
      });
      const server = other.address.replace("0.0.0.0", "127.0.0.1");
      expect((await signAt(server, signedRequest(wallet, "hide").message)).status).toBe(404);
      const sign = async (from: string) =>
        (await fetch(`${from}/holder?${new URLSearchParams({ wallet: wallet.address, want: "hide" })}`)).text();
      expect(await sign(server)).not.toContain("demo-signature");
      expect(await sign(address)).toContain('formaction="/holder/demo-signature"');
    },
  );
});
