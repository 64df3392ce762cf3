import fc from "fast-check";
import { expect, test } from "vitest";
import { attribute, elementsOf } from "../../testing/parse-page.ts";
import {
  anyCredential,
  anyPassport,
  anyText,
  credentialOf,
  FRAME,
  passportOf,
  socialOf,
} from "../../testing/people.ts";
import { type Entered, errorsOf, type FormFault, type ShownPassport } from "./form-faults.ts";
import { holderView } from "./holder-page.ts";
import type { HolderSite } from "./holder-site.ts";
import { findReceipt, receiptText } from "./receipt.ts";
import { requestPage } from "./request-page.ts";
import type { RequestPage, RequestView } from "./request-view.ts";
import { returnPage } from "./return-page.ts";
import { signPage } from "./sign-page.ts";
import type { StoredRecord } from "./stored-record.ts";

const site: HolderSite = {
  ...FRAME,
  mode: "on",
  graceMs: 72 * 3_600_000,
  demoHolder: null,
};
const now = new Date("2026-11-16T06:00:00Z");

const scriptsOf = (page: { toString: () => string }) =>
  elementsOf(page.toString())
    .filter(({ tagName }) => tagName === "script")
    .map((element) => attribute(element, "src"));

const viewOf = (text: string, isEvm: boolean) =>
  signPage(
    site,
    { message: text, statement: text, action: "hide", passportId: 1, address: text, isEvm, expiresAt: now },
    text,
    { signature: text, problem: "signature_form" },
  );

const NOTHING: Entered = { passport: "", wallet: "", action: null };
const formOf = (entered: Entered, faults: FormFault[], shown: ShownPassport | null = null) =>
  holderView(site, { entered, shown, errors: errorsOf(site, new Set(faults), entered, shown), problem: null });
const ADA = { passportId: 12, name: "Ada", mainWallet: "0xa1", wallets: ["0xa1", "0xb2"] };

const CODE = "83f2-0c1d-97ab-44e0-b2d5-6f18-3c7a-e901";
const SECRET = "q".repeat(43);
const REQUEST: RequestView = {
  ...{ action: "see", state: "received", note: null, isRefusedForMain: false, receivedAt: now },
  ...{ dueAt: null, completedAt: null, availableUntil: null, history: [] },
};
const pageOf = (request: Partial<RequestView>, more: Partial<RequestPage> = {}) =>
  requestPage(site, {
    ...{ code: CODE, secret: SECRET, request: { ...REQUEST, ...request }, record: null, isSecretWrong: false, now },
    signed: { message: "the text", action: request.action ?? "see", passportId: 12, address: "0xa1" },
    ...more,
  });

test("all errors of the form are listed above it and said at their fields", () => {
  const page = formOf({ passport: "abc", wallet: "0x12", action: null }, ["wallet", "passport", "want"]).toString();
  const elements = elementsOf(page);
  const ids = elements.map((element) => attribute(element, "id"));
  expect(page).toContain("Three things need correcting. Nothing was changed.");
  expect(page).toContain("It begins with 0x and has 42 characters; yours has 4.");
  for (const field of ["wallet", "passport", "want"]) {
    expect(page).toContain(`href="#${field}"`);
    const element = elements.find((element) => attribute(element, "id") === field);
    const described = (element && attribute(element, "aria-describedby"))?.split(" ") ?? [];
    expect(described).toContain(`${field}-wrong`);
    for (const id of described) expect(ids).toContain(id);
  }
  expect(page).toContain('value="0x12"');
  expect(page).toContain("<title>Error: Your record");
});

const find = (page: { toString: () => string }, name: string, value: string) =>
  elementsOf(page.toString()).find((element) => attribute(element, name) === value);

test("the number is asked for unless the passport is shown", () => {
  const asks = (page: { toString: () => string }) => find(page, "id", "passport") !== undefined;
  expect(asks(formOf(NOTHING, []))).toBe(true);
  expect(asks(formOf({ ...NOTHING, passport: "12" }, []))).toBe(true);
  expect(asks(formOf({ ...NOTHING, passport: "12" }, [], ADA))).toBe(false);
});

test("the first step says what is asked for, if that is a cancellation, and which wallet can sign it", () => {
  const page = formOf({ ...NOTHING, action: "withdraw" }, []);
  expect(page.toString()).toContain("<h1>Cancel your requests</h1>");
  expect(page.toString()).toContain("The wallet that signed the request, or the main wallet of the passport.");
  expect(attribute(find(page, "name", "want") as never, "value")).toBe("withdraw");
});

test.each([
  [1, "1 minute"],
  [72 * 60, "72 hours"],
  [7 * 24 * 60, "7 days"],
  [7 * 24 * 60 + 90, "169 hours and 30 minutes"],
])("an erasure after %i minutes happens after %s", (minutes, span) => {
  const page = holderView(
    { ...site, graceMs: minutes * 60_000 },
    { entered: NOTHING, shown: null, errors: [], problem: null },
  );
  expect(page.toString()).toContain(`Hidden at once, erased after ${span}. Until then you can cancel`);
});

test("after the end of V1, what only hides or shows is behind one line", () => {
  const ended = { ...site, hasEnded: true, links: { ...site.links, people: null } };
  const page = (action: Entered["action"]) =>
    holderView(ended, { entered: { ...NOTHING, action }, shown: null, errors: [], problem: null }).toString();
  const wants = [...page(null).matchAll(/<details|name="want" value="(\w+)"/g)].map(([text, want]) => want ?? text);
  expect(wants.slice(0, 5)).toEqual(["see", "erase", "<details", "hide", "unhide"]);
  expect(page("hide")).toContain("<details open><summary>Hide it, or show it again");
});

test.each([
  ["0xb2", "You entered another wallet of this passport."],
  ["0xc3", "Passport 12 does not list the wallet that you entered."],
])("the main wallet is named if %s cannot ask for this", (wallet, text) => {
  const page = formOf({ passport: "12", wallet, action: "erase" }, ["main"], ADA).toString();
  expect(page).toContain('To erase, sign with the main wallet, <code class="mono all">0xa1</code>.');
  expect(page).toContain(text);
  expect(attribute(find(page, "id", "wallet") as never, "aria-describedby")).toBe("wallet-hint wallet-wrong");
});

test("an erasure that waits says what happened, when it ends, and how to cancel it", () => {
  const dueAt = new Date(now.getTime() + 71.5 * 3_600_000);
  const page = pageOf({
    action: "erase",
    state: "waiting",
    dueAt,
    history: [{ state: "waiting", at: now }],
  }).toString();
  expect(page).toContain('<h1 dir="auto">Hidden now, erased in 2 days and 23 hours</h1>');
  expect(page).toContain("Erase passport 12");
  expect(page).toContain("Wallet checked, hidden");
  expect(page).toContain('formaction="/prefix/holder/requests/withdraw">Cancel the erasure</button>');
});

test("every form of a request carries code, secret and text, and no address has them", () => {
  const states = ["received", "review", "waiting", "done", "refused", "withdrawn", "replaced"] as const;
  for (const state of states) {
    for (const action of ["see", "hide", "unhide", "erase", "withdraw"] as const) {
      const elements = elementsOf(pageOf({ action, state }).toString());
      const forms = elements.filter((element) => attribute(element, "method") === "post");
      expect(forms.map((form) => attribute(form, "id"))).toEqual(["request"]);
      const hidden = elements.filter((element) => attribute(element, "type") === "hidden");
      expect(hidden.map((element) => attribute(element, "value"))).toEqual([CODE, SECRET, "the text"]);
      const addresses = elements.flatMap((element) => [
        attribute(element, "href"),
        attribute(element, "action"),
        attribute(element, "formaction"),
      ]);
      for (const url of addresses) expect(url ?? "").not.toMatch(/q{43}|83f2/);
    }
  }
});

test("a wrong secret is an error at its own field", () => {
  const page = pageOf(
    { state: "done", availableUntil: now },
    { secret: SECRET.slice(1), isSecretWrong: true },
  ).toString();
  expect(page).toContain("It has 43 characters; yours has 42.");
  const field = find(page, "id", "secret");
  expect(field && [attribute(field, "value"), attribute(field, "aria-invalid")]).toEqual([SECRET.slice(1), "true"]);
  expect(elementsOf(page).filter((element) => attribute(element, "aria-invalid") === "true")).toHaveLength(1);
});

test.each([
  [{ isRefusedForMain: true, completedAt: now }, "Ask again with the main wallet", "Hide it instead"],
  [{ note: "Passport 12 does not list this wallet." }, "Refused: passport 12 does not list", "Ask again"],
  [{ note: "Because.", completedAt: now }, "Because.", "Ask again"],
])("a refusal has a way on: %o", (request, ...texts) => {
  const page = pageOf({ action: "erase", state: "refused", ...request }).toString();
  for (const text of texts) expect(page).toContain(text);
});

test("a receipt that was saved is understood, whole or in part", () => {
  const about = { wish: "Hide passport 12", at: now };
  const whole = receiptText(site, { code: CODE, secret: SECRET }, about);
  expect(whole).toMatch(/^Hide passport 12, 16 November 2026\n/);
  const both = { code: CODE, secret: SECRET };
  expect(findReceipt(whole)).toEqual(both);
  expect(findReceipt(whole.replaceAll("\n", "\r\n").replace(CODE, CODE.toUpperCase()))).toEqual(both);
  expect(findReceipt(`${CODE} ${SECRET}`)).toEqual(both);
  expect(findReceipt(whole.replace(SECRET, "q".repeat(42)))).toEqual({ code: CODE, secret: "q".repeat(42) });
  for (const code of [` ${CODE}\n`, CODE.replaceAll("-", ""), CODE.replaceAll("-", " ").toUpperCase()])
    expect(findReceipt(code)).toEqual({ code: CODE, secret: null });
  for (const text of ["", "Code:", CODE.slice(1), SECRET, "0".repeat(33)]) expect(findReceipt(text)).toBeNull();
});

test("only the page with a text for an EVM wallet loads the script for wallets", () => {
  const scripts = ["/prefix/assets/explorer.0.js", "/prefix/assets/holder.0.js"];
  expect(scriptsOf(viewOf("a", true))).toEqual(scripts);
  expect(scriptsOf(viewOf("a", false))).toEqual(scripts.slice(0, 1));
  expect(scriptsOf(pageOf({}))).toEqual(scripts.slice(0, 1));
});

test("a text to sign comes back from the form as it was", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const inputs = elementsOf(viewOf(text, true).toString());
      const message = inputs.find((element) => attribute(element, "name") === "message");
      expect(message && attribute(message, "value")).toBe(text.replaceAll("\0", "\uFFFD"));
    }),
    { numRuns: 50 },
  );
});

test("no text creates an element", () => {
  const tagsOf = (page: { toString: () => string }) => elementsOf(page.toString()).map(({ tagName }) => tagName);
  const history = [
    { state: "review", at: now },
    { state: "done", at: now },
  ] as const;
  const done = { state: "done", dueAt: now, completedAt: now, availableUntil: now, history } as const;
  const signedAs = (text: string) => ({ message: text, action: "see" as const, passportId: 12, address: text });
  const pages = (text: string) => [
    viewOf(text, true),
    pageOf({ ...done, note: text }, { code: text, secret: text, signed: signedAs(text), isSecretWrong: true }),
    pageOf({ ...done, action: "hide", note: text }, { code: text, secret: text, signed: signedAs(text) }),
    pageOf({ state: "refused", note: text }, { code: text, signed: null }),
    returnPage(site, text, "form"),
    formOf({ passport: text, wallet: text, action: null }, ["wallet", "passport", "want"]),
    formOf({ passport: "12", wallet: text, action: "withdraw" }, ["wallet"]),
    formOf({ passport: "12", wallet: text, action: "see" }, ["main"], { ...ADA, name: text, mainWallet: text }),
  ];
  const plain = pages("a").map(tagsOf);
  fc.assert(
    fc.property(fc.string({ unit: "binary", minLength: 1 }), (text) => {
      expect(pages(text).map(tagsOf)).toEqual(plain);
    }),
    { numRuns: 50 },
  );
});

test("the data of any record is shown", () => {
  fc.assert(
    fc.property(anyPassport, fc.array(anyCredential, { maxLength: 2 }), (passport, credentials) => {
      const record: StoredRecord = { passport, credentials };
      const page = pageOf({ state: "done", availableUntil: now }, { record }).toString();
      expect(scriptsOf(page)).toHaveLength(1);
    }),
    { numRuns: 50 },
  );
});

test("each value of a record is on the page", () => {
  const credential = credentialOf({ name: "A credential", value: "77 things", score: 3.5, max_score: 9 });
  const passport = passportOf({ passport_socials: [socialOf({ follower_count: "4711" })], connections_count: 321 });
  const record: StoredRecord = { passport, credentials: [credential] };
  const page = pageOf({ state: "done", availableUntil: now }, { record }).toString();
  for (const text of ["Ada Okafor", "Builds bridges.", "Lagos", "developer", passport.main_wallet ?? "", "4711", "321"])
    expect(page).toContain(text);
  for (const text of ["82.5", "12.5", "A credential", "77 things", "3.5</b>", "of 9", "15 Jan 2024"])
    expect(page).toContain(text);
  // What the parts do not explain is said and drawn.
  const unexplained = pageOf(
    { state: "done", availableUntil: now },
    { record: { ...record, passport: { ...passport, score: 100 } } },
  ).toString();
  expect(unexplained).toContain("Not explained <b>17.5</b>");
  expect(unexplained).toContain('<pattern id="hatch"');
});

test.each([
  ["review", "The operator looks at every request"],
  ["off", "This server takes requests by message"],
] as const)("mode %s is explained", (mode, text) => {
  const view = { entered: NOTHING, shown: null, errors: [], problem: null };
  const page = holderView({ ...site, mode }, view).toString();
  expect(page).toContain(text);
  expect(page.includes('name="wallet"')).toBe(mode !== "off");
});
