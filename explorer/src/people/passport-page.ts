import type { Credential } from "@credence/contract/credential.ts";
import type { PassportDetail } from "@credence/contract/passport.ts";
import { formatDay } from "../dates.ts";
import { html, type Safe } from "../html.ts";
import { credentialSection } from "./credential-table.ts";
import type { Place } from "./distribution.ts";
import { hundredths } from "./figures.ts";
import { mergedCard, mergedScore } from "./merged-card.ts";
import { plainName, visibleName } from "./names.ts";
import { peoplePage, type Site } from "./page-head.ts";
import { passportHead } from "./passport-head.ts";
import { profileSection } from "./profiles.ts";
import { scoreCard } from "./score-card.ts";
import { apiSheet, badgeSheet } from "./sheets.ts";
import { walletSection } from "./wallets.ts";

export type PassportView = {
  passport: PassportDetail;
  /** Null if they could not be read. */
  credentials: readonly Credential[] | null;
  place: Place | null;
  /** The record that a merged one became part of; null if it is not known, or not shown. */
  target: PassportDetail | null;
  now: Date;
};

export function passportPage(site: Site, view: PassportView): Safe {
  const { passport, credentials, place, target, now } = view;
  const { passport_id, score, last_calculated_at: calculatedAt, merged } = passport;
  const name = plainName(passport);
  const points = score === null ? "no score" : `${hundredths(score)} points`;
  const date = calculatedAt === null ? "" : `, as of ${formatDay(new Date(calculatedAt))}`;
  const heading = merged ? "Its credentials" : "Where the points come from";
  return peoplePage(site, {
    path: `/passports/${passport_id}`,
    title: visibleName(passport) === null ? name : `${name}, passport ${passport_id}`,
    description: `${name}: ${points}${date}.`,
    ...(place !== null && { builtAt: place.builtAt }),
    main: html`${passportHead(site, passport, now)}
${merged ? [mergedCard(site, target), mergedScore(passport)] : scoreCard(passport, { place, to: site.links.to })}
<div class="cols wide">
${credentialSection({ credentials, heading, calculatedAt })}
<aside aria-label="About this person">
${walletSection(passport, site.links)}
${profileSection(passport)}</aside>
</div>
${badgeSheet(site, passport)}${apiSheet(site, passport_id)}`,
  });
}
