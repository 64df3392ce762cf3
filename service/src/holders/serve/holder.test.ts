import { describe, expect, test } from "vitest";
import { processRequests } from "#holders/manage/process-requests.ts";
import { HOLDER_ENVIRONMENT, post, signedRequest } from "#testing/holder-client.ts";
import { HOLDERS_ON } from "#testing/holders.ts";
import { person } from "#testing/people.ts";
import { serveDatabase, serving } from "#testing/serving.ts";
import { UNLIMITED } from "#testing/unlimited.ts";
import { evmWallet, solanaWallet } from "#testing/wallets.ts";

const ada = evmWallet("ada");
const sol = solanaWallet("sol");
const stranger = evmWallet("stranger");
const environment = { ...HOLDER_ENVIRONMENT, OPERATOR_CONTACT: "ops@v1.example" };
const eight = evmWallet("person 8");
const hide = { action: "hide", passportId: 1 } as const;

const PEOPLE = [
  person(1, { main_wallet: ada.address, verified_wallets: [ada.address] }),
  person(2, { main_wallet: sol.address, verified_wallets: [sol.address] }),
  ...Array.from({ length: 8 }, (_, index) => {
    const { address } = evmWallet(`person ${index + 3}`);
    return person(index + 3, { main_wallet: address, verified_wallets: [address] });
  }),
];

describe("requests of holders", async () => {
  const { address, name, database, logs } = await serving(PEOPLE, { environment });
  const url = `${address}/holder/requests`;
  const countStored = async () =>
    (await database.query("select count(*)::int as stored from holder_request")).rows[0].stored as number;

  test("202: the receipt is the same for a wallet that the passport does not list", async () => {
    const receiptOf = async (wallet: typeof ada, passportId: number, as: "form" | "json") => {
      const response = await post(url, signedRequest(wallet, { ...hide, passportId }), as);
      expect(response.status).toBe(202);
      const masked = (await response.text())
        .replaceAll(/(?:[0-9a-f]{4}-){7}[0-9a-f]{4}/g, "CODE")
        .replaceAll(/value="v1\.example wants[^"]*"/g, "TEXT");
      return { masked, headers: [...response.headers].filter(([header]) => header !== "date") };
    };
    for (const as of ["form", "json"] as const) {
      const before = await countStored();
      const unlisted = await receiptOf(evmWallet(`no holder, ${as}`), 3, as);
      const unknown = await receiptOf(evmWallet(`no holder, ${as}`), 4711, as);
      const listed = await receiptOf(evmWallet(as === "form" ? "person 3" : "person 4"), as === "form" ? 3 : 4, as);
      expect(await countStored()).toBe(before + 3);
      const plain = (text: string) => text.replaceAll(/passport[= ]\d+|0x\w{40}|<time.*?<\/time>/g, "");
      expect(plain(listed.masked)).toBe(plain(unlisted.masked));
      expect(plain(listed.masked)).toBe(plain(unknown.masked));
      if (as === "json") expect(listed.headers).toEqual(unlisted.headers);
    }
  });

  test("a code shows the state, withdraws the request, and is in no URL", async () => {
    const sent = await post(url, signedRequest(sol, { ...hide, passportId: 2 }));
    const { code } = (await sent.json()) as { code: string };
    const state = (await (await post(`${url}/state`, { code })).json()) as object;
    expect(state).toMatchObject({ action: "hide", state: "received", completedAt: null });
    expect(JSON.stringify(state)).not.toMatch(/passport|0x/i);
    const page = await (await post(`${url}/state`, { code: ` ${code.toUpperCase()} ` }, "form")).text();
    expect(page).toContain("Cancel the request");
    // The text that was signed is not sent along: nothing says whom the request is about.
    expect(page).not.toMatch(/passport 2|0x/);
    const withdrawn = await post(`${url}/withdraw`, { code });
    expect(await withdrawn.json()).toMatchObject({ state: "withdrawn" });
  });

  test("a request is accepted once, also by another node", async () => {
    const other = await serveDatabase(name, { environment });
    const request = signedRequest(evmWallet("person 5"), { ...hide, passportId: 5 });
    const before = await countStored();
    const sent = await Promise.all([url, `${other.address}/holder/requests`, url].map((to) => post(to, request)));
    expect(sent.map(({ status }) => status)).toEqual([202, 202, 202]);
    expect(await countStored()).toBe(before + 1);
    // After it is closed, too.
    await database.query("update holder_request set state = 'done', completed_at = now() where passport_id = 5");
    expect((await post(`${other.address}/holder/requests`, request)).status).toBe(202);
    expect(await countStored()).toBe(before + 1);
  });

  test("400: requests without proof, and nothing is stored", async () => {
    const before = await countStored();
    const valid = signedRequest(ada, hide);
    const wrong = {
      form: { message: "Hide passport 1.", signature: ada.sign("Hide passport 1.") },
      expired: signedRequest(ada, hide, "https://v1.example", new Date(Date.now() - 600_000)),
      early: signedRequest(ada, hide, "https://v1.example", new Date(Date.now() + 90_000)),
      domain: signedRequest(ada, hide, "https://v1.example.org"),
      nonce: { ...valid, message: valid.message.replace("passport 1", "passport 2") },
      signature: { ...valid, signature: stranger.sign(valid.message) },
      signature_form: { ...valid, signature: " 0x1234 " },
    };
    for (const [code, body] of Object.entries(wrong)) {
      const response = await post(url, body);
      expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([400, code]);
      const page = await post(url, body, "form");
      const text = await page.text();
      expect([page.status, /nothing was changed/i.test(text)]).toEqual([400, true]);
      // A new text is a button away. Another signature can be pasted for the same text.
      expect(text.includes(">New text</button>")).toBe(code !== "form");
      expect(text.includes('name="message"')).toBe(code.startsWith("signature"));
      expect(text.includes('aria-invalid="true"')).toBe(code.startsWith("signature"));
      if (code === "signature_form") {
        expect(text).toContain("It begins with 0x and has 132 characters; yours has 6.");
        expect(text).toContain(">0x1234</textarea>");
      }
    }
    // The form of the signature before the age of the text. The page needs a new text.
    const both = { ...wrong.expired, signature: "0x1234" };
    expect(await (await post(url, both)).json()).toMatchObject({ code: "signature_form" });
    expect(await (await post(url, both, "form")).text()).toContain("The 10 minutes are over");
    const odd = { ...valid, signature: `0x${"z".repeat(130)}` };
    expect(await (await post(url, odd, "form")).text()).toContain("yours has other characters, or another end");
    expect(await countStored()).toBe(before);
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
    else expect(text).toContain("Nothing was changed.");
  });

  test.each(["state", "withdraw", "data"])("404: /holder/requests/%s with an unknown code", async (path) => {
    for (const code of ["", "0".repeat(32), "<script>", "a\0b"]) {
      expect((await post(`${url}/${path}`, { code, secret: "x" })).status).toBe(404);
      const page = await post(`${url}/${path}`, { code, secret: "x" }, "form");
      expect(page.status).toBe(404);
      expect(await page.text()).not.toContain("<script>");
    }
  });

  test("a program gets the text to sign as JSON, with its parts and its expiry", async () => {
    const ask = async (query: Record<string, string>) => {
      const response = await fetch(`${address}/holder?${new URLSearchParams(query)}`, {
        headers: { accept: "application/json" },
      });
      return [response.status, (await response.json()) as Record<string, string>] as const;
    };
    const [status, { message = "", ...parts }] = await ask({ passport: "1", wallet: ada.address, want: "hide" });
    expect(status).toBe(200);
    expect(parts).toEqual({
      ...{ statement: "Hide passport 1.", want: "hide", passport_id: 1, wallet: ada.address, domain: "v1.example" },
      ...{ uri: "https://v1.example/holder", nonce: expect.stringMatching(/^[0-9a-f]+$/) },
      issued_at: expect.stringMatching(/Z$/),
      expires_at: new Date(Date.parse(parts.issued_at ?? "") + 600_000).toISOString(),
    });
    expect((await post(url, { message, signature: ada.sign(message) })).status).toBe(202);
    expect(await ask({})).toMatchObject([400, { code: "wallet" }]);
    expect(await ask({ wallet: stranger.address, want: "hide" })).toMatchObject([400, { code: "passport" }]);
    expect(await ask({ wallet: ada.address, want: "hide" })).toMatchObject([200, { passport_id: 1 }]);
    expect(await ask({ passport: "1", wallet: "x", want: "hide" })).toMatchObject([400, { code: "wallet" }]);
    expect(await ask({ passport: "1", wallet: ada.address, want: "all" })).toMatchObject([400, { code: "want" }]);
  });

  test("a limit below the cost of a request admits one request at a time", async () => {
    const limited = await serveDatabase(name, { environment: { ...environment, RATE_LIMIT_ANONYMOUS: "10" } });
    const send = () => post(`${limited.address}/holder/requests`, signedRequest(stranger, hide));
    expect((await send()).status).toBe(202);
    const refused = await send();
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeLessThanOrEqual(10);
    expect(refused.headers.get("access-control-allow-origin")).toBeNull();
  });

  test("no other site may send or read them, and browsers store nothing", async () => {
    const preflight = await fetch(url, {
      method: "OPTIONS",
      headers: { origin: "https://other.example", "access-control-request-method": "POST" },
    });
    expect([preflight.status, preflight.headers.get("allow")]).toEqual([204, "GET, HEAD, POST, OPTIONS"]);
    const responses = [
      ...[await fetch(`${address}/holder`), await post(url, signedRequest(stranger, hide)), await post(url, {})],
      ...[await fetch(`${address}/holder/nothing`), await fetch(`${address}/holder`, { method: "PUT" })],
    ];
    expect(responses.map(({ status }) => status)).toEqual([200, 202, 400, 404, 405]);
    for (const response of responses) {
      expect(response.headers.get("access-control-allow-origin")).toBeNull();
      expect(response.headers.get("cache-control")).toBe("no-store");
      expect(response.headers.get("set-cookie")).toBeNull();
    }
  });

  test.each([
    ["POST", "/holder", 405],
    ["PUT", "/holder/requests", 405],
    ["DELETE", "/holder/requests/state", 405],
    ["PROPFIND", "/holder", 405],
    ["POST", "/passports/1", 400],
    ["POST", "/api/v1/passports", 405],
  ])("%s %s: %d, and its body is not read", async (method, path, status) => {
    expect(
      (await fetch(address + path, { method, body: "{", headers: { "content-type": "application/json" } })).status,
    ).toBe(status);
  });

  test("nothing secret is logged", async () => {
    const { message, signature } = signedRequest(evmWallet("person 6"), { action: "see", passportId: 6 });
    const { code, secret } = (await (await post(url, { message, signature })).json()) as Record<string, string>;
    expect(secret).toMatch(/^[\w-]{43}$/);
    await post(`${url}/data`, { code: code as string, secret: secret as string });
    for (const text of [signature, secret, code]) expect(logs.join("\n")).not.toContain(text);
  });

  test("the receipt can be saved as a file, if its form is right", async () => {
    const [code, secret] = ["83f2-0c1d-97ab-44e0-b2d5-6f18-3c7a-e901", "q".repeat(43)];
    const response = await post(`${url}/receipt`, { code, secret }, "form");
    expect(response.headers.get("content-disposition")).toBe('attachment; filename="credence-receipt.txt"');
    expect(response.headers.get("cache-control")).toBe("no-store");
    const text = await response.text();
    for (const part of [code, secret, "https://v1.example/holder/requests"]) expect(text).toContain(part);
    // Only the text that belongs to the code says what it is about.
    const { message, signature } = signedRequest(evmWallet("person 7"), { action: "hide", passportId: 7 });
    const sent = (await (await post(url, { message, signature })).json()) as { code: string };
    const save = async (code: string) => (await post(`${url}/receipt`, { code, message }, "form")).text();
    expect(await save(sent.code)).toMatch(/^Hide passport 7, \d+ \w+ \d{4}\n/);
    expect(await save(code)).toMatch(/^Receipt of a request/);
    for (const wrong of [{ code: `${code}\r\nX` }, { code, secret: "<b>" }, {}])
      expect((await post(`${url}/receipt`, wrong, "form")).status).toBe(404);
  });

  test("the secret is never lost on the way: the form has it, and may be sent again", async () => {
    const page = await fetch(
      `${address}/holder?${new URLSearchParams({ passport: "8", wallet: eight.address, want: "see" })}`,
    );
    const [, secret = ""] = /name="secret" value="([\w-]{43})"/.exec(await page.text()) ?? [];
    const signed = signedRequest(eight, { action: "see", passportId: 8 });
    const send = async () => (await post(url, { ...signed, secret }, "form")).text();
    const [first, again] = [await send(), await send()];
    for (const text of [first, again]) expect(text).toContain(`name="secret" value="${secret}"`);
    expect(again).toContain("We check your wallet");
    await processRequests(database, HOLDERS_ON, (error) => expect.unreachable(`${error}`));
    const [, code = ""] = /name="code" value="([^"]+)"/.exec(first) ?? [];
    // Sent again, it shows the result. So do the buttons of the page, and the whole text of the receipt.
    const receipt = await (await post(`${url}/receipt`, { code, secret, message: signed.message }, "form")).text();
    const pages = [
      await send(),
      await (await post(`${url}/state`, { code, secret, message: signed.message }, "form")).text(),
      await (await post(`${url}/data`, { code, secret }, "form")).text(),
      await (await post(`${url}/state`, { receipt: receipt.replaceAll("\n", "\r\n") }, "form")).text(),
    ];
    for (const text of pages) {
      expect(text).toContain('<h1 dir="auto">What is stored about you</h1>');
      expect(text).toContain(eight.address);
    }
    const file = await post(`${url}/data`, { code, secret, as: "file" }, "form");
    expect(file.headers.get("content-disposition")).toBe('attachment; filename="record.json"');
    // Another secret is an error at its field, also for the file. The code alone asks for the secret.
    for (const fields of [{}, { as: "file" }]) {
      const wrong = await post(`${url}/data`, { code, secret: "x", ...fields }, "form");
      expect([wrong.status, (await wrong.text()).includes("yours has 1.")]).toEqual([404, true]);
    }
    const alone = await (await post(`${url}/state`, { receipt: code }, "form")).text();
    expect(alone).toContain('id="secret"');
    expect(alone).not.toContain("aria-invalid");
    expect(logs.join("\n")).not.toContain(secret);
  });

  test("a request costs 50 points", async () => {
    const { address } = await serveDatabase(name, { environment: { ...environment, RATE_LIMIT_ANONYMOUS: "250" } });
    const statuses: number[] = [];
    for (let n = 0; n < 6; n++) statuses.push((await post(`${address}/holder/requests`, { message: "" })).status);
    expect(statuses).toEqual([400, 400, 400, 400, 400, 429]);
  });

  test("with HOLDER_REQUESTS=off the pages show the contact, and nothing is accepted", async () => {
    const off = { ...UNLIMITED, OPERATOR_CONTACT: "ops@v1.example" };
    const { address } = await serveDatabase(name, { environment: off });
    for (const path of ["/holder", "/holder/requests"]) {
      expect(await (await fetch(address + path)).text()).toContain("ops@v1.example");
    }
    expect((await post(`${address}/holder/requests`, signedRequest(ada, hide))).status).toBe(404);
  });

  test("works after the end of V1, and without pages about people", async () => {
    const { address } = await serveDatabase(name, {
      environment: { ...environment, V1_SUNSET_AT: "2026-01-01", EXPLORER: "off" },
    });
    expect((await fetch(`${address}/holder`)).status).toBe(200);
    expect((await post(`${address}/holder/requests`, signedRequest(evmWallet("late"), hide))).status).toBe(202);
  });
});
