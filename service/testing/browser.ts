import type { Browser } from "playwright-core";
import { launchBrowser } from "./launch-browser.ts";
import { whenDone } from "./when-done.ts";

/** Starts a browser. It is closed after the test, or after the file. */
export async function startBrowser(): Promise<Browser> {
  const browser = await launchBrowser();
  whenDone(() => browser.close());
  return browser;
}
