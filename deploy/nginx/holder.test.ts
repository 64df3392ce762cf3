import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { processRequests } from "../../service/src/holders/manage/process-requests.ts";
import { createClock } from "../../service/testing/fake-clock.ts";
import { testFolder } from "../../service/testing/folder.ts";
import { HOLDER_ENVIRONMENT } from "../../service/testing/holder-client.ts";
import { HOLDERS_ON, signedRequest } from "../../service/testing/holders.ts";
import { credential, person } from "../../service/testing/people.ts";
import { startProxy } from "../../service/testing/proxy.ts";
import { serving } from "../../service/testing/serving.ts";
import { evmWallet } from "../../service/testing/wallets.ts";
import { whenDone } from "../../service/testing/when-done.ts";

const PUBLIC_URL = "https://api.example.org";
/** The bound of docs/PRIVACY.md for copies in caches while the nodes respond. */
const CACHED_SECONDS = 120;

const ada = evmWallet("ada");
const PEOPLE = [
  person(
    1,
    { display_name: "Ada Lovelace", main_wallet: ada.address, verified_wallets: [ada.address] },
    { credentials: [credential("a", { name: "Analytical Engine" })] },
  ),
  person(2),
];

/** Every place in which a person appears, with a text that is there only with this person. */
const PLACES: Record<string, string> = {
  "/api/v1/passports/1": "Ada Lovelace",
  [`/api/v1/passports/${ada.address}`]: "Ada Lovelace",
  "/api/v1/passport_credentials?passport_id=1": "Analytical Engine",
  "/api/v1/passports": "Ada Lovelace",
  "/api/v1/passports?keyword=lovelace": "Ada Lovelace",
  "/leaderboard": "Ada Lovelace",
  "/search?q=lovelace": 'href="/passports/1"',
  "/passports/1": "Ada Lovelace",
  "/badge/1.svg": "Passport score: 6",
};

describe("requests of holders through the proxy", async () => {
  const environment = { ...HOLDER_ENVIRONMENT, PUBLIC_URL, TRUSTED_PROXIES: "127.0.0.1" };
  const { address, database } = await serving(PEOPLE, { environment });
  const folder = testFolder();
  const clock = createClock(join(folder, "clock"));
  const proxy = await startProxy(folder, [address], { clock });
  whenDone(proxy.stop);
  const post = (body: string, headers: Record<string, string>) =>
    proxy.send("/holder/requests", { method: "POST", body, headers });
  const carryOut = () =>
    processRequests(database, { ...HOLDERS_ON, domain: "api.example.org" }, (error) => {
      throw error;
    });

  test("other sites cannot read errors of nginx itself under /holder, but those of V1", async () => {
    const corsOf = async (path: string) => {
      const { status, headers } = await proxy.send(path);
      return [status, headers["access-control-allow-origin"], headers["cross-origin-resource-policy"]];
    };
    expect(await corsOf("/holder/%00")).toEqual([400, undefined, "same-origin"]);
    expect(await corsOf("/holder?a=%00")).toEqual([200, undefined, undefined]);
    expect(await corsOf("/api/%00")).toEqual([400, "*", "cross-origin"]);
  });

  test("bodies arrive whole, with a length and in chunks, as a form and as JSON", async () => {
    const request = signedRequest(ada, "show", { publicUrl: PUBLIC_URL });
    const form = new URLSearchParams(request).toString();
    const json = JSON.stringify(request);
    const asForm = { "content-type": "application/x-www-form-urlencoded" };
    const asJson = { "content-type": "application/json" };
    for (const [body, headers, status] of [
      [form, asForm, 303],
      [json, asJson, 202],
    ] as const) {
      for (const length of [{ "content-length": String(body.length) }, { "transfer-encoding": "chunked" }]) {
        const response = await post(body, { ...headers, ...length });
        expect([response.status, response.headers["cache-control"]]).toEqual([status, "no-store"]);
        expect(response.headers["x-cache"]).toBeUndefined();
      }
    }
    // Without the limit it would be accepted.
    expect((await post(json.padEnd(9_000), asJson)).status).toBe(400);
  });

  test("a person who hides is gone from every place within the documented bounds", async () => {
    const findPlaces = async () => {
      const found: string[] = [];
      for (const [path, text] of Object.entries(PLACES)) {
        if ((await proxy.send(path)).body.includes(text)) found.push(path);
      }
      return found;
    };
    expect(await findPlaces()).toEqual(Object.keys(PLACES));

    const body = JSON.stringify(signedRequest(ada, "hide", { publicUrl: PUBLIC_URL }));
    expect((await post(body, { "content-type": "application/json" })).status).toBe(202);
    expect(await carryOut()).toMatchObject({ forged: 0, failed: 0 });
    // The node answers without the person at once; only copies are left.
    const direct = await fetch(`${address}/api/v1/passports`);
    expect(await direct.json()).toMatchObject({ passports: [{ passport_id: 2 }] });
    expect(await findPlaces()).not.toEqual([]);

    clock.setAhead(CACHED_SECONDS + 2);
    expect(await findPlaces()).toEqual([]);
  });
});
