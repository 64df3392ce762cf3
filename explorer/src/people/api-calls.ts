import { html, type Safe } from "../html.ts";
import { curl } from "../site-links.ts";
import type { Site } from "./page-head.ts";

/** The requests that return what a page about a passport shows. */
export function apiCalls({ settings, links }: Site, passportId: number): Safe {
  const { publicUrl } = settings;
  const client = `import { createClient } from "credence-client";

const v1 = createClient({ baseUrl: "${publicUrl}" });
const passport = await v1.findPassport(${passportId}); // null if there is none
const credentials = await v1.listCredentials(${passportId}); // [] if there are none

console.log(passport?.score, credentials.length);`;
  return html`<section class="paperless" aria-labelledby="calls">
<h2 id="calls">This page as API calls</h2>
<p class="small soft">The passport and its credentials come from two requests. No key is needed. The rank is not part of the API.</p>
${call("call-1", "The passport: score, parts, profile, wallets, profiles elsewhere", curl(`${publicUrl}/api/v1/passports/${passportId}`, false))}
${call("call-2", "The credentials", curl(`${publicUrl}/api/v1/passport_credentials?passport_id=${passportId}`, false))}
<details>
<summary>The same with the client for JavaScript</summary>
<pre><code>${client}</code></pre>
</details>
<p class="small"><a href="${links.docs}">What each field means</a></p>
</section>
`;
}

const call = (
  id: string,
  title: string,
  code: string,
): Safe => html`<div class="head"><h3>${title}</h3><button class="plain" type="button" data-copy-from="${id}" hidden>Copy<span class="vh"> this request</span></button></div>
<pre><code id="${id}">${code}</code></pre>`;
