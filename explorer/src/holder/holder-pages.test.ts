import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { attribute, elementsOf } from "../../testing/parse-page.ts";
import { anyCredential, anyPassport, anyText, FRAME } from "../../testing/people.ts";
import { dataPage } from "./data-page.ts";
import { holderView } from "./holder-page.ts";
import type { HolderSite } from "./holder-site.ts";
import { receiptPage } from "./receipt-page.ts";
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
  holderView(site, {
    prefilled: { passport: text, wallet: text, action: "hide" },
    signable: { message: text, statement: text, address: text, isEvm, expiresAt: now },
    problem: null,
  });

test("only the page with a text for an EVM wallet loads the script for wallets", () => {
  const scripts = ["/prefix/assets/explorer.0.js", "/prefix/assets/holder.0.js"];
  expect(scriptsOf(viewOf("a", true))).toEqual(scripts);
  expect(scriptsOf(viewOf("a", false))).toEqual(scripts.slice(0, 1));
  expect(
    scriptsOf(receiptPage(site, { code: "c", secret: null, isRepeated: false, statement: "s", address: "a" })),
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
  } as const;
  const pages = (text: string) => [
    viewOf(text, true),
    receiptPage(site, { code: text, secret: text, isRepeated: true, statement: text, address: text }),
    statePage(site, { code: text, request: { ...request, note: text }, problem: null }),
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
  const view = { prefilled: { passport: "", wallet: "", action: null }, signable: null, problem: null };
  const page = holderView({ ...site, mode }, view).toString();
  expect(page).toContain(text);
  expect(page.includes('name="wallet"')).toBe(mode !== "off");
});
