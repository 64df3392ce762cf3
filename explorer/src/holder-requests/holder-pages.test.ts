import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { attribute, elementsOf } from "../../testing/parse-page.ts";
import { anyCredential, anyPassport, anyText, FRAME } from "../../testing/people.ts";
import { dataPage } from "./data-page.ts";
import { holderView } from "./holder-page.ts";
import type { HolderSite } from "./holder-site.ts";
import { receiptPage } from "./receipt-page.ts";
import { type Entered, errorsOf, type WrongField } from "./request-form.ts";
import type { RequestView } from "./request-view.ts";
import { signPage } from "./sign-page.ts";
import { statePage } from "./state-page.ts";

const site: HolderSite = {
  ...FRAME,
  mode: "on",
  graceMs: 72 * 3_600_000,
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
    { signature: text, problem: "signature_form" },
  );

const NOTHING: Entered = { passport: "", wallet: "", action: null };
const formOf = (entered: Entered, wrong: WrongField[]) =>
  holderView(site, { entered, errors: errorsOf(site, new Set(wrong), entered), problem: null });

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

test("the number is asked for only if it is needed", () => {
  const asks = (page: { toString: () => string }) =>
    elementsOf(page.toString()).some((element) => attribute(element, "id") === "passport");
  const view = { entered: NOTHING, errors: [], problem: null };
  expect(asks(holderView(site, view))).toBe(false);
  expect(asks(holderView(site, { ...view, asksNumber: "unlisted" }))).toBe(true);
  const known = { ...view, entered: { ...NOTHING, passport: "12" } };
  expect(asks(holderView(site, known))).toBe(false);
  // Nobody can look up a wallet after the end of V1.
  const ended = { ...site, links: { ...site.links, people: null } };
  expect([asks(holderView(ended, view)), asks(holderView(ended, known))]).toEqual([true, false]);
});

test("an erasure that waits shows what happened, and when it ends", () => {
  const request: RequestView = {
    ...{ action: "erase", state: "waiting", note: null, receivedAt: now, completedAt: null, availableUntil: null },
    dueAt: new Date(now.getTime() + 71.5 * 3_600_000),
    history: [{ state: "waiting", at: now }],
  };
  const page = statePage(site, { code: "c", request, problem: null, now }).toString();
  expect(page).toContain('<h1 dir="auto">Hidden now, erased in 2 days and 23 hours</h1>');
  expect([...page.matchAll(/<h2>([^<]*)/g)].map(([, title]) => title)).toEqual([
    "Received",
    "Hidden",
    "Now",
    "Will be erased",
  ]);
  expect(page).toContain("Withdraw the request");
});

test("only the page with a text for an EVM wallet loads the script for wallets", () => {
  const scripts = ["/prefix/assets/explorer.0.js", "/prefix/assets/holder.0.js"];
  expect(scriptsOf(viewOf("a", true))).toEqual(scripts);
  expect(scriptsOf(viewOf("a", false))).toEqual(scripts.slice(0, 1));
  expect(
    scriptsOf(receiptPage(site, { code: "c", secret: null, isRepeated: false, statement: "s", address: "a", now })),
  ).toEqual(scripts.slice(0, 1));
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
  const request = {
    action: "see",
    state: "done",
    receivedAt: now,
    dueAt: now,
    completedAt: now,
    availableUntil: now,
    history: [
      { state: "review", at: now },
      { state: "done", at: now },
    ],
  } as const;
  const pages = (text: string) => [
    viewOf(text, true),
    receiptPage(site, { code: text, secret: text, isRepeated: true, statement: text, address: text, now }),
    statePage(site, { code: text, request: { ...request, note: text }, problem: null, now }),
    statePage(site, { code: text, request: null, problem: "code", now }),
    formOf({ passport: text, wallet: text, action: null }, ["wallet", "passport", "want"]),
    formOf({ passport: "12", wallet: text, action: "withdraw" }, ["wallet"]),
    holderView(site, {
      ...{ entered: { passport: "12", wallet: "", action: null }, name: text },
      errors: [],
      problem: null,
    }),
  ];
  const plain = pages("a").map(tagsOf);
  fc.assert(
    fc.property(fc.string({ unit: "binary", minLength: 1 }), (text) => {
      expect(pages(text).map(tagsOf)).toEqual(plain);
    }),
    { numRuns: 50 },
  );
});

describe("dataPage", () => {
  test("shows any record", () => {
    fc.assert(
      fc.property(anyPassport, fc.array(anyCredential, { maxLength: 2 }), anyText, (passport, credentials, name) => {
        const change = {
          ...{ changed_at: now.toISOString(), from_score: null, to_score: 12.5, unexplained: -1 },
          credentials: [
            { name, by: 13.5 },
            { name, by: null },
          ],
        };
        const record = { passport, credentials, score_changes: [change] };
        const page = dataPage(site, { code: "c", secret: "s", record }).toString();
        expect(page).toContain("no score to 12.5");
        expect(page).toContain("+13.5");
        expect(page).toContain("not explained by credentials −1");
        expect(scriptsOf(page)).toHaveLength(1);
      }),
      { numRuns: 50 },
    );
  });
});

test.each([
  ["review", "The operator looks at every request"],
  ["off", "This server takes requests by message."],
] as const)("mode %s is explained", (mode, text) => {
  const view = { entered: NOTHING, errors: [], problem: null };
  const page = holderView({ ...site, mode }, view).toString();
  expect(page).toContain(text);
  expect(page.includes('name="wallet"')).toBe(mode !== "off");
});
