import type { Credential } from "@credence/contract/credential.ts";
import type { Person } from "@credence/contract/person.ts";
import { formatCount, formatDay, formatShortDay } from "../dates.ts";
import { html, type Safe } from "../html.ts";
import { hundredths, shortHundredths, shortTenths } from "../people/figures.ts";
import { HATCH } from "../people/parts.ts";
import { partsOfScore } from "../people/score-card.ts";

/** Everything stored about a person. */
export type StoredRecord = Person;

/** The values of a record. The file has all of them too, in the form of an import. */
export const recordSections = (record: StoredRecord): Safe =>
  html`${profileSection(record)}${scoreSection(record)}${HATCH}`;

const EMPTY = html`<span class="soft">empty</span>`;

const textOf = (value: string | null | undefined): Safe => (value ? html`<bdi>${value}</bdi>` : EMPTY);

const row = (name: string, value: Safe): Safe => html`<div><dt>${name}</dt><dd>${value}</dd></div>
`;

const lines = (values: readonly Safe[]): Safe =>
  values.length === 0 ? EMPTY : html`${values.map((value, index) => html`${index > 0 && html`<br>`}${value}`)}`;

const wallet = (address: string): Safe => html`<span class="mono all">${address}</span>`;

function profileSection({ passport, operator }: StoredRecord): Safe {
  const { passport_profile: profile, main_wallet, verified_wallets, passport_socials } = passport;
  const others = verified_wallets.filter((address) => address !== main_wallet);
  return html`<section class="narrow" aria-labelledby="profile">
<h2 id="profile">Profile</h2>
<dl class="kv">
${row("Name", textOf(profile.display_name))}${row("Text", textOf(profile.bio))}${row("Location", textOf(profile.location))}${row("Tags", textOf(profile.tags.join(", ")))}${row(
  "Main wallet",
  main_wallet === null ? EMPTY : wallet(main_wallet),
)}${row("Other wallets", lines(others.map(wallet)))}${row("Profiles elsewhere", lines(passport_socials.map(socialOf)))}${row(
  "Connections",
  html`${passport.connections_count}`,
)}${row("Human check", html`${passport.human_checkmark ? "passed" : "no"}`)}${passport.merged && row("Merged", html`into another record`)}${row(
  "Shown",
  html`${operator?.hidden ? "no, hidden" : "yes"}`,
)}</dl>
</section>
`;
}

function socialOf(social: StoredRecord["passport"]["passport_socials"][number]): Safe {
  const { source, profile_name, profile_display_name, profile_bio, location, follower_count, following_count } = social;
  const more = [
    ...(profile_display_name && profile_display_name !== profile_name ? [profile_display_name] : []),
    ...[profile_bio, location].filter((value) => value !== null && value !== ""),
    ...(follower_count === null ? [] : [`followers: ${follower_count}`]),
    ...(following_count === null ? [] : [`followed: ${following_count}`]),
    ...[social.profile_url, social.profile_image_url].filter((value) => value !== null && value !== ""),
  ];
  return html`<bdi>${profile_name ?? "without a name"}</bdi> (<bdi>${source}</bdi>)${more.length > 0 && html`<br><span class="small soft">${more.map((text, index) => html`${index > 0 && "; "}<bdi>${text}</bdi>`)}</span>`}`;
}

function scoreSection({ passport, credentials }: StoredRecord): Safe {
  const { score, last_calculated_at } = passport;
  return html`<section class="narrow" aria-labelledby="score">
<div class="head"><h2 id="score">Score</h2><span class="fig">${score === null ? "no score" : html`<b>${hundredths(score)}</b> points`}${last_calculated_at !== null && `, ${formatDay(new Date(last_calculated_at))}`}</span></div>
${partsOfScore(passport)}
${
  credentials.length > 0 &&
  html`<table class="cr"><caption>${formatCount(credentials.length, "credential")}</caption>
<thead><tr><th scope="col">Credential</th><th scope="col" class="opt">Earned</th><th scope="col" class="num">Points</th></tr></thead>
<tbody>
${credentials.map(credentialRow)}</tbody></table>`
}
</section>
`;
}

const credentialRow = ({ name, value, category, score, max_score, earned_at }: Credential): Safe =>
  html`<tr${score === 0 && html` class="soft"`}><th scope="row"><bdi>${name}</bdi><small><bdi>${category}</bdi>, <bdi>${value || "not earned"}</bdi></small></th><td class="opt small">${earned_at === null ? "–" : dayOf(earned_at)}</td><td class="num"><b>${shortTenths(score)}</b> <span class="small soft">of ${shortHundredths(max_score)}</span></td></tr>
`;

/** V1 normally has dates here, but any text is possible. */
function dayOf(text: string): Safe {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return html`<bdi>${text}</bdi>`;
  return html`<time datetime="${date.toISOString()}">${formatShortDay(date)}</time>`;
}
