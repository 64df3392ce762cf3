import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import axe from "axe-core";
import { parse, type DefaultTreeAdapterTypes as Tree } from "parse5";
import type { Browser, Page } from "playwright-core";

export type Visit = {
  url: string;
  status: number;
  width: number;
  theme: "light" | "dark";
  /** Where to save a picture of the page; null for none. */
  picture: string | null;
  /** Also checks with axe, with the Tab key and without scripts, which take most of the time. */
  isThorough: boolean;
  /** Called before each request. */
  prepare: () => Promise<void>;
  /** Gets the classes of the page. */
  seen: SeenClasses;
};

export const NARROWEST = 320;
export const PHONE = 390;
/** The size of letters that a browser starts with. */
export const FONT_PX = 16;
const CHECKS = readFileSync(new URL("in-page.js", import.meta.url), "utf8");

/** Two tabs of a browser, with and without scripts. Opening a tab takes longer than a visit. */
export type Tabs = { scripted: Page; plain: Page };

export async function openTabs(browser: Browser): Promise<Tabs> {
  const contexts = [true, false].map((javaScriptEnabled) => browser.newContext({ javaScriptEnabled }));
  const [scripted, plain] = await Promise.all(contexts.map(async (context) => (await context).newPage()));
  return { scripted, plain } as Tabs;
}

/**
 * Opens a page and checks it: its status, no script but ours, no request to another origin, no
 * horizontal scrolling, no violation that axe finds, all controls reachable by keyboard, and the
 * same text without scripts.
 */
export async function checkPage({ scripted: page, plain }: Tabs, visit: Visit): Promise<void> {
  const name = `${visit.url} at ${visit.width} px, ${visit.theme}`;
  const faults = watch(page, visit.url);
  const response = await open(page, visit);
  assert.equal(response?.status(), visit.status, name);
  if (visit.picture !== null) await page.screenshot({ path: visit.picture, fullPage: true });
  const html = visit.isThorough ? await page.content() : null;
  await checkLoaded(page, name, visit.isThorough, visit.seen);
  assert.deepEqual(faults, [], name);
  // On the narrowest screen, and with letters of twice the size, whatever the width of this visit.
  await page.setViewportSize({ width: NARROWEST, height: 900 });
  await checkLayout(page, `${visit.url} at ${NARROWEST} px`);
  await setFontSize(page, 2 * FONT_PX);
  await page.setViewportSize({ width: PHONE, height: 900 });
  await checkLayout(page, `${visit.url} at ${PHONE} px with large letters`);
  await setFontSize(page, FONT_PX);
  if (html === null) return;
  await open(plain, visit);
  assert.equal(textOf(await plain.content()), textOf(html), `${name} has another text without scripts`);
}

/** The classes of pages that were checked, and those that the stylesheet names. */
export const seenClasses = () => ({ used: new Set<string>(), styled: new Set<string>() });
export type SeenClasses = ReturnType<typeof seenClasses>;

/**
 * Checks the page that is open: no horizontal scrolling, no text over another, no class that the
 * stylesheet does not name, and, if thorough, no violation and all controls by keyboard.
 */
export async function checkLoaded(page: Page, name: string, isThorough = true, seen = seenClasses()): Promise<void> {
  // By the debugging protocol, so that the page's own policy stays in force.
  await page.evaluate(CHECKS);
  await checkLayout(page, name);
  assert.deepEqual(await page.evaluate("pageChecks.miscoloured()"), [], `${name}: colours of meters`);
  const { used, styled } = (await page.evaluate("pageChecks.classes()")) as Record<keyof SeenClasses, string[]>;
  for (const word of styled) seen.styled.add(word);
  for (const word of used) {
    assert.ok(seen.styled.has(word), `${name}: the stylesheet has no class ${word}`);
    seen.used.add(word);
  }
  if (!isThorough) return;
  await page.evaluate(axe.source);
  assert.deepEqual(await page.evaluate("pageChecks.violations()"), [], name);
  await checkKeyboard(page, name);
}

export async function checkLayout(page: Page, name: string): Promise<void> {
  assert.deepEqual(await page.evaluate("pageChecks.overflowing()"), [], `${name} scrolls sideways`);
  assert.deepEqual(await page.evaluate("pageChecks.overlapping()"), [], `${name}: texts overlap`);
}

/** As a setting of the browser, so that lengths in media queries grow too. */
export async function setFontSize(page: Page, standard: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Page.setFontSizes", { fontSizes: { standard } });
  await session.detach();
}

async function open(page: Page, { url, width, theme, prepare }: Visit) {
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ colorScheme: theme });
  await prepare();
  return page.goto(url);
}

/** Returns what must not happen on the page, as it happens. */
export function watch(page: Page, url: string): string[] {
  const faults: string[] = [];
  const { origin } = new URL(url);
  page.removeAllListeners();
  page.on("dialog", (dialog) => {
    faults.push(`a dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on("pageerror", (error) => faults.push(`an error: ${error.message}`));
  page.on("console", (message) => {
    // The browser reports the status of the page itself.
    const isStatus = message.text().startsWith("Failed to load resource") && message.location().url === url;
    if (message.type() === "error" && !isStatus) faults.push(`an error on the console: ${message.text()}`);
  });
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== origin) faults.push(`a request to ${request.url()}`);
  });
  return faults;
}

/** What the script may change: copy buttons, the theme, countdowns, titles of times. */
const CHANGEABLE = ["data-copy", "data-copy-from", "data-theme-switch", "data-countdown"];
/** They differ between two requests. */
const isRequestId = (node: Tree.ChildNode): boolean => node.nodeName === "code";

function textOf(html: string): string {
  const walk = (node: Tree.ChildNode): string => {
    if ("value" in node) return node.value;
    if (!("childNodes" in node) || isRequestId(node)) return "";
    if ("attrs" in node && node.attrs.some(({ name }) => CHANGEABLE.includes(name))) return "";
    return node.childNodes.map(walk).join("");
  };
  return parse(html)
    .childNodes.map(walk)
    .join("")
    .replaceAll(/\d\d:\d\d:\d\d|\s+/g, " ");
}

/** The Tab key reaches the links and controls in their order, beginning with the skip link. */
async function checkKeyboard(page: Page, name: string): Promise<void> {
  const controls = (await page.evaluate("pageChecks.controls()")) as string[];
  assert.match(controls[0] as string, /class="skip"/);
  await page.evaluate("pageChecks.watchFocus()");
  for (const _ of controls) await page.keyboard.press("Tab");
  const expected = controls.map((control) => ({ control, outline: "solid" }));
  assert.deepEqual(await page.evaluate("pageChecks.focused"), expected, `${name}: the Tab key`);
}
