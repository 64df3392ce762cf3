import { describe, expect, test } from "vitest";
import { HOLDER_ENVIRONMENT } from "#testing/holder-client.ts";
import { person } from "#testing/people.ts";
import { serveDatabase, serving } from "#testing/serving.ts";
import { evmWallet } from "#testing/wallets.ts";

const ada = evmWallet("ada");
const stranger = evmWallet("stranger");
const hidden = evmWallet("hidden");
const environment = { ...HOLDER_ENVIRONMENT, OPERATOR_CONTACT: "ops@v1.example" };

const PEOPLE = [
  person(1, { main_wallet: ada.address, verified_wallets: [ada.address] }),
  person(2),
  { ...person(20, { main_wallet: hidden.address, verified_wallets: [hidden.address] }), operator: { hidden: true } },
];

describe("the form and the text to sign", async () => {
  const { address, name, database } = await serving(PEOPLE, { environment });

  const load = async (query: Record<string, string>) => {
    const response = await fetch(`${address}/holder?${new URLSearchParams(query)}`);
    return { status: response.status, text: await response.text() };
  };

  test("the text to sign is the same for a person who is stored, hidden or unknown", async () => {
    await database.query("update passport set hidden = true where passport_id = 2");
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
    [{ passport: "1", wallet: ada.address, want: "delete" }, "Choose one of the four."],
    [{ passport: "1", wallet: ada.address }, "Choose one of the four."],
  ])("400: %o", async (query, problem) => {
    const { status, text } = await load(query);
    expect(status).toBe(400);
    expect(text).toContain(problem);
    expect(text).toContain("ops@v1.example");
    expect(text).not.toContain("<script>");
  });

  test("a wallet is enough if a passport that is shown lists it", async () => {
    const found = await load({ wallet: ada.address.toUpperCase().replace("0X", "0x"), want: "erase" });
    expect(found.text).toContain("<h1>Sign: Erase passport 1</h1>");
    const unlisted = await load({ wallet: stranger.address, want: "erase" });
    expect(unlisted.status).toBe(200);
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
    expect([status, text.includes("found by its number only")]).toEqual([200, true]);
    expect((await load({ wallet: ada.address, want: "unhide", passport: "0020" })).text).toContain(
      "Show passport 20 again</h1>",
    );
  });

  test("the way back keeps what was typed, or asks for another number", async () => {
    const { text } = await load({ wallet: ada.address, want: "erase" });
    const links = [...text.matchAll(/href="(\/holder\?edit=[^"]*)"/g)].map(([, href = ""]) =>
      href.replaceAll("&amp;", "&"),
    );
    const pages = await Promise.all(links.map(async (href) => (await fetch(address + href)).text()));
    expect(pages).toHaveLength(2);
    for (const page of pages) {
      expect(page).toContain(`value="${ada.address}"`);
      expect(page).toContain('value="erase" required checked');
    }
    expect(pages[0]).toContain("About <b>passport 1</b>");
    expect(pages[1]).toContain('id="passport"');
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
    expect(text).toContain('value="93"');
    expect((await load({ passport: "1" })).text).toMatch(/About <b>passport 1<\/b>, <bdi>/);
    // Nothing is chosen for the holder.
    expect(text).not.toContain(" checked");
  });
});
