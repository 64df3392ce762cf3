import { formatMoment, formatShortDay, formatTime } from "./dates.ts";
import { html, type Safe } from "./html.ts";
import type { Settings } from "./settings.ts";
import type { SiteLinks } from "./site-links.ts";

/** The state of V1, as pages show it. */
export type V1State = {
  state: "active" | "announced" | "brownout" | "gone";
  /** When the state began, and when it changes. Null: never. */
  from: Date | null;
  until: Date | null;
};

/** What every page has around its content. All pages of one moment have the same. */
export type Frame = {
  settings: Settings;
  /** Without pages about people once V1 has ended. */
  links: SiteLinks;
  /** The current outage of V1, or null. */
  outage: { until: Date; text: string } | null;
  hasEnded: boolean;
};

export function frameAt(settings: Settings, links: SiteLinks, { state, from, until }: V1State): Frame {
  const hasEnded = state === "gone";
  return {
    settings,
    links: hasEnded ? { ...links, people: null } : links,
    outage: state === "brownout" && until !== null ? { until, text: endOf(from, until) } : null,
    hasEnded,
  };
}

/** `15:03 UTC`, with the day if the outage began on another one. */
const endOf = (from: Date | null, until: Date): string =>
  from !== null && formatShortDay(from) === formatShortDay(until) ? formatTime(until) : formatMoment(until);

/** The end of an outage. */
export const outageEnd = ({ until, text }: NonNullable<Frame["outage"]>): Safe =>
  html`<time datetime="${until.toISOString()}">${text}</time>`;

/** One line about V1, on pages that do not say it themselves. */
export function deprecationStrip({ settings, links, outage, hasEnded }: Frame): Safe {
  const { sunsetAt } = settings;
  const end = sunsetAt && html`<time datetime="${sunsetAt.toISOString()}">${formatMoment(sunsetAt)}</time>`;
  const text = hasEnded
    ? html`V1 ended on ${end}.`
    : outage !== null
      ? html`<b>The API is off until ${outageEnd(outage)}.</b> These pages go on working.`
      : end === null
        ? html`V1 is deprecated. Its data may be out of date.`
        : html`V1 is deprecated and ends on ${end}.`;
  return html`<div class="strip in"><p>${text} <a href="${links.deprecation}">Details</a></p></div>
`;
}
