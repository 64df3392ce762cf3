import type { Credential } from "@credence/contract/credential.ts";
import type { PassportDetail } from "@credence/contract/passport.ts";
import { formatDay } from "../dates.ts";
import { html, link, type Safe } from "../html.ts";
import { apiCalls } from "./api-calls.ts";
import { BADGE_SIZE, badgePath, badgeText } from "./badge.ts";
import { compareForm } from "./compare-page.ts";
import { credentialSection } from "./credential-section.ts";
import { hundredths, whole } from "./figures.ts";
import { clip, isLongName, LONG_NAME, plainName, shortWallet, visibleName } from "./names.ts";
import { peoplePage, type Site } from "./page-head.ts";
import { profileSection } from "./profiles.ts";
import { type Place, scoreSection } from "./score-section.ts";
import { walletSection } from "./wallets.ts";

export type PassportView = {
  passport: PassportDetail;
  /** Null if they could not be read. */
  credentials: readonly Credential[] | null;
  /** Whether credentials without points are left out. */
  hidesUnearned: boolean;
  place: Place | null;
  now: Date;
};

export function passportPage(site: Site, view: PassportView): Safe {
  const { passport, credentials, hidesUnearned, place, now } = view;
  const { passport_id, score, last_calculated_at } = passport;
  const name = plainName(passport);
  const points = score === null ? "no score" : `${hundredths(score)} points`;
  const date = last_calculated_at === null ? "" : `, as of ${formatDay(new Date(last_calculated_at))}`;
  return peoplePage(site, {
    path: `/passports/${passport_id}`,
    title: visibleName(passport) === null ? name : `${name}, passport ${passport_id}`,
    description: `${name}: ${points}${date}.`,
    ...(place !== null && { builtAt: place.builtAt }),
    main: html`${whoIs(passport)}
${notices(site, passport)}
<div class="cols">
<div>
${scoreSection({ passport, place, now, jumps: JUMPS, to: site.links.to })}
${credentialSection(credentials, { hidesUnearned, calculatedAt: last_calculated_at })}
</div>
<aside aria-label="About this person">
${walletSection(passport, site.links)}
${profileSection(passport)}
<section class="paperless" aria-labelledby="compare">
<h2 id="compare">Compare with…</h2>
${compareForm(site.links.to("/compare"), [passport_id], "Another passport number or wallet", "Compare")}
</section>
${badgeSection(site, passport)}
<section class="box" aria-labelledby="you">
<h2 id="you">Is this you?</h2>
<p class="small">See what is stored about you and why the score is what it is, or have the record hidden or erased.</p>
<p><a href="${site.links.to(`/holder?passport=${passport_id}`)}">Your record</a></p>
</section>
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
${nameHeading(name)}`;
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
</header>`;
}

const nameHeading = (name: string): Safe =>
  isLongName(name)
    ? html`<h1 class="name-long"><bdi>${clip(name, LONG_NAME)}</bdi></h1>
<details class="small"><summary>The whole name: ${whole([...name].length)} characters</summary><p><bdi>${name}</bdi></p></details>`
    : html`<h1><bdi>${name}</bdi></h1>`;

export const CHECK: Safe = html`<svg width="14" height="14" viewBox="0 0 14 14" aria-hidden="true"><path d="M2 7.5 5.5 11 12 3.5"/></svg>`;

const JUMPS: Safe = html`<nav class="jump" aria-label="On this page"><a href="${link("#credentials")}">Credentials</a><a href="${link("#wallets")}">Wallets</a><a href="${link("#socials")}">Profiles</a><a href="${link("#you")}">Is this you?</a></nav>`;

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
  const [light, dark] = [badgePath(passport.passport_id), badgePath(passport.passport_id, "-dark")];
  const { width, height } = BADGE_SIZE;
  const { publicUrl } = settings;
  const code = `<a href="${publicUrl}/passports/${passport.passport_id}"><picture>
<source media="(prefers-color-scheme: dark)" srcset="${publicUrl}${dark}">
<img src="${publicUrl}${light}" alt="Passport score">
</picture></a>`;
  return html`<section class="paperless" aria-labelledby="badge">
<div class="head"><h2 id="badge">Badge</h2><button class="plain" type="button" data-copy-from="badge-code" hidden>Copy<span class="vh"> the code of the badge</span></button></div>
<p class="badges"><img src="${links.to(light)}" width="${width}" height="${height}" alt="${badgeText(passport)}"><img src="${links.to(dark)}" width="${width}" height="${height}" alt="The same, dark"></p>
<details>
<summary>For a README or a web page</summary>
<pre><code id="badge-code">${code}</code></pre>
</details>
</section>
`;
}
