import type { PassportDetail } from "@credence/contract/passport.ts";
import { html, type Safe } from "../html.ts";
import { curl } from "../site-links.ts";
import { BADGE_SIZE, badgePath, badgeText } from "./badge.ts";
import type { Site } from "./page-head.ts";

// Popovers: they need no script, the Esc key closes them, and browsers announce whether they are open.
// A browser that does not know them shows them at the end of the page. `div`, as the style sheet sets
// how sections are displayed, which would show them.

/** The button that opens a sheet. */
export const sheetButton = (id: "badge" | "api", text: string): Safe =>
  html`<button class="ghost" type="button" popovertarget="${id}">${text}</button>`;

const sheet = (id: "badge" | "api", heading: string, content: Safe): Safe =>
  html`<div class="sheet paperless" id="${id}" popover role="group" aria-labelledby="${id}-h">
<div class="head"><h2 id="${id}-h">${heading}</h2><button class="plain" type="button" popovertarget="${id}">Close</button></div>
${content}
</div>
`;

const code = (id: string, title: string, text: string): Safe =>
  html`<div class="head"><h3>${title}</h3><button class="plain" type="button" data-copy-from="${id}" hidden>Copy<span class="vh"> ${title}</span></button></div>
<pre><code id="${id}">${text}</code></pre>
`;

/** The badge and its markup. */
export function badgeSheet({ links, settings }: Site, passport: PassportDetail): Safe {
  const [light, dark] = [badgePath(passport.passport_id), badgePath(passport.passport_id, "-dark")];
  const { width, height } = BADGE_SIZE;
  const { publicUrl } = settings;
  const page = `${publicUrl}/passports/${passport.passport_id}`;
  const markup = `<a href="${page}"><picture>
<source media="(prefers-color-scheme: dark)" srcset="${publicUrl}${dark}">
<img src="${publicUrl}${light}" alt="Passport score">
</picture></a>`;
  return sheet(
    "badge",
    "Badge",
    html`<p class="pills"><img src="${links.to(light)}" width="${width}" height="${height}" loading="lazy" alt="${badgeText(passport)}"><img src="${links.to(dark)}" width="${width}" height="${height}" loading="lazy" alt="The same, dark"></p>
<p class="small soft">It always shows the current score and its month. If the record is hidden, it shows “not shown”.</p>
${code("badge-md", "Markdown", `[![Passport score](${publicUrl}${light})](${page})`)}${code("badge-html", "HTML, light and dark", markup)}`,
  );
}

/** The requests that return what a page about a passport shows. */
export function apiSheet({ settings, links }: Site, passportId: number): Safe {
  const { publicUrl } = settings;
  const client = `import { createClient } from "credence-client";

const v1 = createClient({ baseUrl: "${publicUrl}" });
const passport = await v1.findPassport(${passportId}); // null if there is none
const credentials = await v1.listCredentials(${passportId}); // [] if there are none`;
  return sheet(
    "api",
    "This page as API calls",
    html`<p class="small soft">No key is needed. The rank is not part of the API.</p>
${code("call-1", "Passport", curl(`${publicUrl}/api/v1/passports/${passportId}`, false))}${code(
  "call-2",
  "Credentials",
  curl(`${publicUrl}/api/v1/passport_credentials?passport_id=${passportId}`, false),
)}${code("call-3", "JavaScript", client)}<p class="small"><a href="${links.docs}">What each field means</a></p>`,
  );
}
