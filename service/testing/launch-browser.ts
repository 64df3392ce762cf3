import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";
import { keepNetwork } from "./network-lock.ts";

/** The engine of Chromium without its windows, which takes half of the CPU for a page. */
const CHROMIUM = "/usr/bin/chromium-headless-shell";

/** Starts Debian's Chromium without a window. */
export async function launchBrowser(): Promise<Browser> {
  if (!existsSync(CHROMIUM)) throw new Error(`${CHROMIUM} is missing. Run \`source .ci/env\`, which installs it.`);
  const release = await keepNetwork();
  try {
    // Chromium refuses to run as root with its sandbox, and CI runs as root.
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"], timeout: 60_000 });
    browser.once("disconnected", release);
    return browser;
  } catch (error) {
    await release();
    throw error;
  }
}
