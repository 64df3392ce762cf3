import type { Credential } from "@credence/contract/credential.ts";
import type { PassportDetail } from "@credence/contract/passport.ts";
import { formatDay } from "../dates.ts";
import { html, link, type Safe } from "../html.ts";
import { apiCalls } from "./api-calls.ts";
import { BADGE_SIZE, badgePath, badgeText } from "./badge.ts";
import { credentialSection } from "./credential-section.ts";
import { hundredths, whole } from "./figures.ts";
import { isLongName, plainName, shortWallet, visibleName } from "./names.ts";
import { peoplePage, type Site } from "./page-head.ts";
import { profileSection } from "./profiles.ts";
import { scoreSection } from "./score-section.ts";
import { walletSection } from "./wallets.ts";

export type PassportView = {
  passport: PassportDetail;
  /** Null if they could not be read. */
  credentials: readonly Credential[] | null;
  now: Date;
};

export function passportPage(site: Site, { passport, credentials, now }: PassportView): Safe {
  const { passport_id, score, last_calculated_at } = passport;
  const name = plainName(passport);
  const points = score === null ? "no score" : `${hundredths(score)} points`;
  const date = last_calculated_at === null ? "" : `, as of ${formatDay(new Date(last_calculated_at))}`;
  return peoplePage(site, {
    path: `/passports/${passport_id}`,
    title: visibleName(passport) === null ? name : `${name}, passport ${passport_id}`,
    description: `${name}: ${points}${date}.`,
    main: html`${whoIs(passport)}
${notices(site, passport)}
<div class="cols">
<div>
${scoreSection(passport, now)}
${credentialSection(credentials)}
</div>
<aside aria-label="About this person">
<section class="box" aria-labelledby="you">
<h2 id="you">Is this you?</h2>
<p class="small">You can ask what is stored about you and why the score is what it is, and have the record hidden or erased.</p>
<p><a href="${site.links.to(`/holder?passport=${passport_id}`)}">Your record</a></p>
</section>
${walletSection(passport, site.links)}
${profileSection(passport)}
${badgeSection(site, passport)}
</aside>
</div>
${apiCalls(site, passport_id)}`,
  });
}

function whoIs(passport: PassportDetail): Safe {
  const { passport_id, passport_profile: profile } = passport;
  const name = visibleName(passport);
  const heading =
    name === null
      ? html`<h1>Passport ${passport_id}</h1>
<p class="small soft">No name was given.</p>`
      : html`<p class="over">Passport ${passport_id}</p>
<h1${isLongName(name) && html` class="name-long"`}><bdi>${name}</bdi></h1>`;
  const facts = [
    ...(passport.human_checkmark ? [html`<span class="yes">${CHECK}Human check passed</span>`] : []),
    ...(profile.location ? [html`<bdi>${profile.location}</bdi>`] : []),
    html`${whole(passport.connections_count)} ${passport.connections_count === 1 ? "connection" : "connections"}`,
  ];
  return html`<header class="who-is">
${heading}
<ul class="inline small soft">${facts.map((fact) => html`<li>${fact}</li>`)}</ul>
${profile.bio && html`<p class="bio" dir="auto">${profile.bio}</p>`}
${profile.tags.length > 0 && html`<ul class="tags" aria-label="Tags">${profile.tags.map((tag) => html`<li><bdi>${tag}</bdi></li>`)}</ul>`}
<nav class="jump" aria-label="On this page">${JUMPS.map(([id, text]) => html`<a href="${link(`#${id}`)}">${text}</a>`)}</nav>
</header>`;
}

export const CHECK: Safe = html`<svg width="14" height="14" viewBox="0 0 14 14" aria-hidden="true"><path d="M2 7.5 5.5 11 12 3.5"/></svg>`;

const JUMPS = [
  ["score", "Score"],
  ["credentials", "Credentials"],
  ["wallets", "Wallets"],
  ["socials", "Profiles elsewhere"],
  ["calls", "API calls"],
  ["you", "Is this you?"],
] as const;

function notices({ links }: Site, passport: PassportDetail): Safe[] {
  const wallet = passport.main_wallet ?? passport.verified_wallets[0];
  const found: Safe[] = [];
  if (passport.merged) {
    found.push(html`<p class="note"><b>This record was merged into another one.</b> It is kept as it was: its score, wallets and credentials are its own, and it is not in the list any more.${
      wallet !== undefined &&
      html` Its wallets now find the other record: <a href="${links.to(`/passports/${encodeURIComponent(wallet)}`)}">look up <bdi>${shortWallet(wallet)}</bdi></a>.`
    }</p>
`);
  }
  if (passport.calculating_score) {
    found.push(html`<p class="note"><b>The score is being recalculated.</b> Until that is done, you see the earlier one.</p>
`);
  }
  return found;
}

function badgeSection({ links, settings }: Site, passport: PassportDetail): Safe {
  const path = badgePath(passport.passport_id);
  const page = `${settings.publicUrl}/passports/${passport.passport_id}`;
  const { width, height } = BADGE_SIZE;
  return html`<section aria-labelledby="badge">
<h2 id="badge">Badge</h2>
<p><img src="${links.to(path)}" width="${width}" height="${height}" alt="${badgeText(passport)}"></p>
<details>
<summary>For a README or a web page</summary>
<pre><code>[![Passport score](${settings.publicUrl}${path})](${page})</code></pre>
</details>
</section>
`;
}
