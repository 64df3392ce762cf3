import { join } from "node:path";
import type { Page } from "playwright-core";
import { MARK_PATH } from "../explorer/src/layout.ts";
import { startServer, withProofDatabase } from "../service/proofs/harness.ts";
import { inventDemoPeople } from "../service/src/demo/invent/population.ts";
import { refreshStanding } from "../service/src/list/manage/refresh-standing.ts";
import { savePeople } from "../service/src/people/write/save-people.ts";
import { launchBrowser } from "../service/testing/launch-browser.ts";
import { writePageDigest } from "./page-digest.ts";

// Draws the pictures of README.md from a person of the demo, and the picture of link previews.
// `npm run pictures`. Needs PostgreSQL and Chromium, as the tests do.

const root = join(import.meta.dirname, "..");
const THEMES = ["light", "dark"] as const;
/** Down to the end of the card. */
const PAGE_SIZE = { width: 1280, height: 720 };
const PREVIEW_SIZE = { width: 1200, height: 630 };

const PREVIEW = `<body style="margin:110px;font-family:system-ui,sans-serif">
<svg width="190" viewBox="0 0 24 24"><path fill="#0b5a70" d="${MARK_PATH}"/></svg>
<p style="margin:30px 0 0;font-size:104px;font-weight:700;letter-spacing:-2px;color:#16212a">Credence</p>
<p style="margin:10px 0 0;font-size:38px;color:#4f5e69">Passports and credentials, V1 (deprecated)</p>`;

await withProofDatabase(async ({ url, database }) => {
  await savePeople(database, inventDemoPeople());
  await refreshStanding(database);
  const server = await startServer(url);
  const browser = await launchBrowser();
  try {
    for (const colorScheme of THEMES) {
      const page = await browser.newPage({ viewport: PAGE_SIZE, colorScheme });
      await page.goto(`${server.address}/passports/1`);
      await draw(page, `docs/pictures/passport-${colorScheme}.png`);
    }
    const page = await browser.newPage({ viewport: PREVIEW_SIZE });
    await page.setContent(PREVIEW);
    await draw(page, "explorer/src/preview.png");
  } finally {
    await browser.close();
    await server.stop();
  }
});
writePageDigest(root);

async function draw(page: Page, file: string): Promise<void> {
  await page.screenshot({ path: join(root, file) });
  process.stdout.write(`Drew ${file}.\n`);
}
