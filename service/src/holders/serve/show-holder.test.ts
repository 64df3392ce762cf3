import pg from "pg";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { erasePerson } from "#privacy/erase-person.ts";
import { HOLDER_ENVIRONMENT } from "#testing/holder-client.ts";
import { OPT_OUT_KEY } from "#testing/import-lines.ts";
import { person } from "#testing/people.ts";
import { serveDatabase, serving } from "#testing/serving.ts";
import { evmWallet } from "#testing/wallets.ts";

const ada = evmWallet("ada");
const stranger = evmWallet("stranger");
const hidden = evmWallet("hidden");
const other = evmWallet("another of ada");
const environment = { ...HOLDER_ENVIRONMENT, OPERATOR_CONTACT: "ops@v1.example" };

const PEOPLE = [
  person(1, { main_wallet: ada.address, verified_wallets: [ada.address, other.address] }),
  person(3),
  person(2, {}, { operator: { hidden: true } }),
  { ...person(20, { main_wallet: hidden.address, verified_wallets: [hidden.address] }), operator: { hidden: true } },
];

describe("the form and the text to sign", async () => {
  const { address, name, database } = await serving(PEOPLE, { environment });

  const load = async (query: Record<string, string>) => {
    const response = await fetch(`${address}/holder?${new URLSearchParams(query)}`);
    return { status: response.status, text: await response.text() };
  };

  test("the text to sign is the same for a person who is stored, hidden or unknown", async () => {
    const masked = async (passport: string) => {
      const { status, text } = await load({ passport, wallet: ada.address, want: "hide" });
      return [status, text.replaceAll(/Nonce: \w+|\d\d:\d\d:\d\d|passport[= ]\d+|value="\d+"/gi, "")];
    };
    const [, stored] = await masked("1");
    expect(stored).toContain("v1.example wants you to sign in with your Ethereum account:");
    expect((await masked("2"))[1]).toBe(stored);
    expect((await masked("4711"))[1]).toBe(stored);
  });

  test.each([
    [{ passport: "x", wallet: ada.address, want: "hide" }, "A passport number has only digits"],
    [{ passport: "1", wallet: "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", want: "hide" }, "A signature cannot prove"],
    [{ passport: "1", wallet: '"><script>', want: "hide" }, "A signature cannot prove"],
    [{ passport: "1", wallet: ada.address, want: "delete" }, "Choose what you want."],
    [{ passport: "1", wallet: ada.address }, "Choose what you want."],
  ])("400: %o", async (query, problem) => {
    const { status, text } = await load(query);
    expect(status).toBe(400);
    expect(text).toContain(problem);
    expect(text).toContain("ops@v1.example");
    expect(text).not.toContain("<script>");
  });

  test("a wallet is enough if a passport that is shown lists it", async () => {
    const found = await load({ wallet: ada.address.toUpperCase().replace("0X", "0x"), want: "erase" });
    expect(found.text).toContain("<h1>Sign to erase your record</h1>");
    expect(found.text).toContain("\nErase passport 1.\n");
    const unlisted = await load({ wallet: stranger.address, want: "erase" });
    expect(unlisted.status).toBe(400);
    expect(unlisted.text).toContain("No passport that is shown lists this wallet.");
    const { text } = await load({ wallet: hidden.address, want: "erase" });
    expect(text).toBe(unlisted.text.replaceAll(stranger.address, hidden.address));
    // Without pages about people, a wallet must not lead to a number either.
    const off = await serveDatabase(name, { environment: { ...environment, EXPLORER: "off" } });
    const query = new URLSearchParams({ wallet: ada.address, want: "erase" });
    const asked = await fetch(`${off.address}/holder?${query}`);
    expect([asked.status, (await asked.text()).includes("The passport number is missing")]).toEqual([400, true]);
  });

  test("to show a hidden passport, its number is asked for", async () => {
    const { status, text } = await load({ wallet: ada.address, want: "unhide" });
    expect([status, text.includes("found by its number only")]).toEqual([400, true]);
    expect((await load({ wallet: ada.address, want: "unhide", passport: "0020" })).text).toContain(
      "\nShow passport 20 again.\n",
    );
  });

  test("the way back keeps what was typed", async () => {
    const { text } = await load({ wallet: ada.address, want: "erase" });
    const [, href = ""] = /href="(\/holder\?edit=[^"]*)"/.exec(text) ?? [];
    const page = await (await fetch(address + href.replaceAll("&amp;", "&"))).text();
    expect(page).toContain(`value="${ada.address}"`);
    expect(page).toContain('value="erase" required checked');
    expect(page).toContain("About <b>passport 1</b>");
  });

  test("a passport that is shown names its main wallet before anything is signed", async () => {
    const { text } = await load({ passport: "1" });
    expect(text).toContain(`value="${ada.address}"`);
    expect(text).toContain("This is the main wallet of passport 1");
    for (const [wallet, reason] of [
      [other.address.toUpperCase().replace("0X", "0x"), "You entered another wallet of this passport."],
      [stranger.address, "Passport 1 does not list the wallet that you entered."],
    ] as const) {
      for (const want of ["see", "erase"]) {
        const wrong = await load({ passport: "1", wallet, want });
        expect([wrong.status, wrong.text.includes(reason)]).toEqual([400, true]);
        expect(wrong.text).toContain(`the main wallet, <code class="mono all">${ada.address}</code>`);
      }
      expect((await load({ passport: "1", wallet, want: "hide" })).status).toBe(200);
    }
    // Found by the wallet.
    expect((await load({ wallet: other.address, want: "see" })).text).toContain("another wallet of this passport");
  });

  test("a hidden, an erased and an unknown number have the same bytes, and take the same queries", async () => {
    await erasePerson(database, 3, OPT_OUT_KEY);
    const numbers = ["2", "3", "4"];
    const sent = vi.spyOn(pg.Client.prototype, "query");
    onTestFinished(() => sent.mockRestore());
    const ask = async (query: Record<string, string>, from = address) => {
      const results = [];
      for (const passport of numbers) {
        sent.mockClear();
        const response = await fetch(`${from}/holder?${new URLSearchParams({ passport, ...query })}`);
        const text = (await response.text()).replaceAll(/Nonce: \w+|\d\d:\d\d:\d\d|name="secret" value="[^"]+"/g, "");
        const masked = text.replaceAll(new RegExp(`(passport[= ]|value=")${passport}\\b`, "gi"), "$1N");
        // Of the look-ups only: the server also looks at its settings and keys.
        const queries = sent.mock.calls
          .map(([query]) => JSON.stringify(query))
          .filter((text) => text.includes("_document"));
        results.push({
          status: response.status,
          masked,
          queries: queries.map((text) => text.replace(`{${passport}}`, "{N}")),
        });
      }
      return results;
    };
    const cached = await serveDatabase(name, { environment: { ...environment, CACHE_MAX_AGE: "60m" } });
    for (const from of [address, cached.address, cached.address]) {
      for (const query of [
        {},
        { want: "erase" },
        ...["see", "hide", "erase"].map((want) => ({ want, wallet: ada.address })),
      ]) {
        const [first, ...others] = await ask(query, from);
        for (const other of others) expect(other).toEqual(first);
        if (from === address) expect(first?.queries).toHaveLength(query.want === "hide" ? 0 : 1);
      }
    }
  });

  test("a link cannot put a sentence on the page", async () => {
    expect((await load({ passport: "1. Send your recovery words" })).text).not.toContain("Send your recovery words");
  });

  test("the page is compressed", async () => {
    const response = await fetch(`${address}/holder`, { headers: { "accept-encoding": "br" } });
    expect(response.headers.get("content-encoding")).toBe("br");
    expect(await response.text()).toContain("<h1>Your record</h1>");
  });

  test("a link fills in the passport", async () => {
    const { text } = await load({ passport: "93" });
    expect(text).toContain('name="passport" value="93"');
    expect((await load({ passport: "1" })).text).toMatch(/About <b>passport 1<\/b>, <bdi>/);
    // Nothing is chosen for the holder.
    expect(text).not.toContain(" checked");
  });
});
