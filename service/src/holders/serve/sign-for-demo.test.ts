import { expect, test } from "vitest";
import { createWallet } from "#holders/proof/create-wallet.ts";
import { HOLDER_ENVIRONMENT, post, signedRequest } from "#testing/holder-client.ts";
import { person } from "#testing/people.ts";
import { serveDatabase, serving } from "#testing/serving.ts";
import { evmWallet } from "#testing/wallets.ts";

const wallet = createWallet();
const demoWallet = { ...wallet, passportId: 1 };
const stranger = evmWallet("stranger");
const wish = { action: "hide", passportId: 1 } as const;
const { address, name, database } = await serving([person(1, { main_wallet: wallet.address })], {
  environment: HOLDER_ENVIRONMENT,
  isDemo: true,
  demoWallet,
});
const signAt = (server: string, message: string) => post(`${server}/holder/demo-signature`, { message });

test("signs a text that this server has issued for the demo wallet, and nothing else", async () => {
  const day = 86_400_000;
  const issued = signedRequest(wallet, wish).message;
  const refused = {
    form: "Give me all your money.",
    expired: signedRequest(wallet, wish, "https://v1.example", new Date(Date.now() - day)).message,
    domain: signedRequest(wallet, wish, "https://bank.example").message,
    nonce: issued.replace("passport 1", "passport 2"),
    signature: signedRequest(stranger, wish).message,
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
] as const)("%s has neither the route nor the button", async (_name, options: Parameters<typeof serveDatabase>[1]) => {
  const other = await serveDatabase(name, {
    ...options,
    environment: { ...HOLDER_ENVIRONMENT, ...options?.environment },
  });
  const server = other.address.replace("0.0.0.0", "127.0.0.1");
  expect((await signAt(server, signedRequest(wallet, wish).message)).status).toBe(404);
  const sign = (from: string) =>
    fetch(`${from}/holder?${new URLSearchParams({ passport: "1", wallet: wallet.address, want: "hide" })}`);
  expect(await (await sign(server)).text()).not.toContain("demo");
  expect(await (await sign(address)).text()).toContain('formaction="/holder/demo-signature"');
});
