import fc from "fast-check";
import { expect, test } from "vitest";
import { attribute, type Element, elementsOf, textOf } from "../../testing/parse-page.ts";
import { FRAME } from "../../testing/people.ts";
import { type HolderView, holderView } from "./holder-page.ts";
import type { HolderSite, Wish } from "./holder-site.ts";
import { type RequestState, type RequestView, requestPage, unknownPage } from "./request-page.ts";
import { type Signable, signPage } from "./sign-page.ts";

const site: HolderSite = { ...FRAME, mode: "on", graceMs: 72 * 3_600_000, demoHolder: null };
const now = new Date("2026-11-16T06:00:00Z");
const WISHES: readonly Wish[] = ["hide", "show", "erase"];
const STATES: readonly RequestState[] = ["received", "review", "waiting", "done", "refused"];

const formOf = (view: Partial<HolderView> = {}, on = site) =>
  holderView(on, { wallet: "", wish: null, errors: [], problem: null, ...view }).toString();
const signable = (text: string, isEvm = true): Signable => ({
  ...{ message: text, statement: text, wish: "hide", address: text, isEvm, expiresAt: now },
});
const viewOf = (text: string, isEvm = true) =>
  signPage(site, signable(text, isEvm), { typed: text, problem: "signature_form" }).toString();
function pageOf({ state = "done", ...request }: Partial<RequestView>): string {
  const completedAt = state === "done" || state === "refused" ? now : null;
  const view = {
    wish: "hide" as const,
    note: null,
    receivedAt: now,
    dueAt: null,
    completedAt,
    passportIds: [7],
    address: null,
  };
  return requestPage(site, { ...view, state, ...request }, now).toString();
}

const withTag = (page: string, tag: string): Element[] => elementsOf(page).filter(({ tagName }) => tagName === tag);
const find = (page: string, name: string, value: string) =>
  elementsOf(page).find((element) => attribute(element, name) === value);
const textsOf = (page: string, tag: string) => withTag(page, tag).map((element) => textOf(element).trim());

test("every field of a form has a label, and what describes it exists", () => {
  const wrong = formOf({ wallet: "0x12", errors: ["wallet", "want"] });
  for (const page of [formOf(), wrong, viewOf("a"), viewOf("a", false)]) {
    const ids = elementsOf(page).map((element) => attribute(element, "id"));
    const fields = [...withTag(page, "textarea"), ...withTag(page, "input")].filter(
      (field) => !["hidden", "radio"].includes(attribute(field, "type") ?? ""),
    );
    expect(fields.length).toBeGreaterThan(0);
    for (const field of fields) expect(find(page, "for", attribute(field, "id") ?? "")?.tagName).toBe("label");
    for (const element of elementsOf(page))
      for (const id of attribute(element, "aria-describedby")?.split(" ") ?? []) expect(ids).toContain(id);
    expect(elementsOf(page).some((element) => attribute(element, "name") === "viewport")).toBe(true);
  }
  // All errors are listed above the form, with links, and said at their fields.
  for (const field of ["wallet", "want"]) {
    expect(find(wrong, "href", `#${field}`)).toBeDefined();
    const described = attribute(find(wrong, "id", field) as Element, "aria-describedby")?.split(" ");
    expect(described).toContain(`${field}-wrong`);
  }
  expect(wrong).toContain('value="0x12"');
});

test("the form asks for a wish and a wallet, and keeps what a link filled in", () => {
  const page = formOf({ wallet: "0xa1", wish: "erase" });
  const wishes = elementsOf(page).filter((element) => attribute(element, "name") === "want");
  expect(wishes.map((element) => attribute(element, "value"))).toEqual(WISHES);
  expect(wishes.map((element) => attribute(element, "checked") !== null)).toEqual([false, false, true]);
  expect(attribute(find(page, "name", "wallet") as Element, "value")).toBe("0xa1");
  expect(formOf({}, { ...site, graceMs: 7 * 86_400_000 })).toContain("erased after 7 days");
});

test.each(["on", "review", "off"] as const)("mode %s: a form that says who decides, or none", (mode) => {
  const page = formOf({}, { ...site, mode });
  expect(find(page, "name", "wallet") !== undefined).toBe(mode !== "off");
  expect(textsOf(page, "label").join().includes("The operator decides")).toBe(mode === "review");
});

test.each(WISHES)("each state of a request to %s has a heading, the record, and a way on", (wish) => {
  const headings = STATES.map((state) => {
    const page = pageOf({ wish, state, dueAt: new Date(now.getTime() + 71.5 * 3_600_000), note: "A reason." });
    expect(page.includes("A reason.")).toBe(
      state === "review" || state === "refused" || (state === "done" && wish === "show"),
    );
    expect(textsOf(page, "dd")).toContain("7");
    const ways = elementsOf(page).filter(({ tagName }) => tagName === "button" || tagName === "a");
    expect(ways.some((element) => /^(?:button|ghost)/.test(attribute(element, "class") ?? ""))).toBe(true);
    // Only until a worker has looked at it: nothing else changes soon.
    expect(find(page, "http-equiv", "refresh") !== undefined).toBe(state === "received");
    return textsOf(page, "h1")[0];
  });
  expect(new Set(headings).size).toBe(STATES.length);
  expect(headings[2]).toContain("2 days and 23 hours");
});

test("an erasure that waits is cancelled by asking to show the record", () => {
  const page = pageOf({ wish: "erase", state: "waiting", dueAt: now });
  expect(withTag(page, "a").map((link) => attribute(link, "href"))).toContain("/prefix/holder?edit=form&want=show");
});

test("only the page with a text for an EVM wallet loads the script for wallets", () => {
  const scriptsOf = (page: string) => withTag(page, "script").map((element) => attribute(element, "src"));
  const scripts = ["/prefix/assets/explorer.0.js", "/prefix/assets/holder.0.js"];
  expect(scriptsOf(viewOf("a", true))).toEqual(scripts);
  for (const page of [viewOf("a", false), formOf(), pageOf({}), unknownPage(site).toString()])
    expect(scriptsOf(page)).toEqual(scripts.slice(0, 1));
});

test("no text creates an element, and a text to sign comes back from its form as it was", () => {
  const pages = (text: string) => [
    viewOf(text),
    pageOf({ note: text, state: "refused" }),
    pageOf({ note: text, state: "review" }),
    pageOf({ note: text, wish: "show" }),
    formOf({ wallet: text, errors: ["wallet", "want"] }),
  ];
  const tagsOf = (page: string) => elementsOf(page).map(({ tagName }) => tagName);
  const plain = pages("a").map(tagsOf);
  fc.assert(
    fc.property(fc.string({ unit: "binary", minLength: 1 }), (text) => {
      expect(pages(text).map(tagsOf)).toEqual(plain);
      const message = find(viewOf(text), "name", "message") as Element;
      expect(attribute(message, "value")).toBe(text.replaceAll("\0", "\uFFFD"));
    }),
    { numRuns: 50, examples: [["\r\u0000"], ["\r\n"], ["\r"]] },
  );
});
