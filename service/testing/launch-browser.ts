import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const CHROMIUM = "/usr/bin/chromium";

/** Starts Debian's Chromium without a window. */
export function launchBrowser(): Promise<Browser> {
  if (!existsSync(CHROMIUM)) throw new Error(`${CHROMIUM} is missing. Run \`source .ci/env\`, which installs it.`);
  // Chromium refuses to run as root with its sandbox, and CI runs as root.
  return chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"], timeout: 60_000 });
}
