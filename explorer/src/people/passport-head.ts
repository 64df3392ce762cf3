import type { PassportDetail } from "@credence/contract/passport.ts";
import { formatDay, formatElapsed } from "../dates.ts";
import { html, type Safe } from "../html.ts";
import { OLD_MS } from "./distribution.ts";
import { whole } from "./figures.ts";
import { clip, isLongName, LONG_NAME, visibleName } from "./names.ts";
import type { Site } from "./page-head.ts";
import { sheetButton } from "./sheets.ts";

export const CHECK: Safe = html`<svg width="14" height="14" viewBox="0 0 14 14" aria-hidden="true"><path d="M2 7.5 5.5 11 12 3.5"/></svg>`;

/** Who it is, what one can do here, and how old the score is. */
export function passportHead({ links }: Site, passport: PassportDetail, now: Date): Safe {
  const { passport_id, passport_profile: profile, connections_count, main_wallet } = passport;
  const name = visibleName(passport);
  const pills = [
    ...(passport.human_checkmark ? [html`<li class="pill yes">${CHECK}Human check passed</li>`] : []),
    ...(name === null ? [pill(html`No name given`)] : []),
    ...(profile.location ? [pill(html`<bdi>${profile.location}</bdi>`)] : []),
    pill(html`${whole(connections_count)} ${connections_count === 1 ? "connection" : "connections"}`),
    ...profile.tags.map((tag) => pill(html`<bdi>${tag}</bdi>`)),
    agePill(passport, now),
  ];
  return html`<header class="who-is wide"><p class="over"><a href="${links.to("/leaderboard")}">Leaderboard</a> / Passport ${passport_id}</p>
${name === null ? html`<h1>Passport ${passport_id}</h1>` : nameHeading(name)}
<div class="acts paperless"><a class="button ghost" href="${links.to(`/compare?ids=${passport_id}`)}">Compare</a>${sheetButton("badge", "Badge")}${sheetButton("api", "API")}<a class="button" href="${links.to(main_wallet === null ? "/holder" : `/holder?edit=form&wallet=${encodeURIComponent(main_wallet)}`)}">This is me</a></div>
${profile.bio && html`<p class="bio" dir="auto">${profile.bio}</p>`}
<ul class="pills">${pills}</ul></header>`;
}

const nameHeading = (name: string): Safe =>
  isLongName(name)
    ? html`<h1 class="name-long"><bdi>${clip(name, LONG_NAME)}</bdi></h1>
<details class="small"><summary>The whole name: ${whole([...name].length)} characters</summary><p><bdi>${name}</bdi></p></details>`
    : html`<h1><bdi>${name}</bdi></h1>`;

const pill = (text: Safe): Safe => html`<li class="pill">${text}</li>`;
const oldPill = (text: Safe): Safe => html`<li class="pill old">${text}</li>`;

/** The age of a score, or why it is not used any more. Amber means age or out of use. */
function agePill({ merged, score, calculating_score, last_calculated_at }: PassportDetail, now: Date): Safe {
  if (merged) return oldPill(html`Merged, out of use`);
  const date = last_calculated_at === null ? null : new Date(last_calculated_at);
  const day = date === null ? null : html`<time datetime="${date.toISOString()}">${formatDay(date)}</time>`;
  if (calculating_score)
    return oldPill(
      html`A new score was being calculated; this is the ${day === null ? "earlier one" : html`one of ${day}`}`,
    );
  if (date === null) return oldPill(html`V1 does not say when it was calculated`);
  if (score === null) return oldPill(html`Last calculated ${day}, without a result`);
  const ageMs = now.getTime() - date.getTime();
  const text = html`Score of ${day}${ageMs > 0 && html`, ${formatElapsed(date, now)} old`}`;
  return ageMs > OLD_MS ? oldPill(text) : pill(text);
}
