import { formatDate, formatDay, formatEnd, formatLeft, formatSpan, lastFullDay } from "../dates.ts";
import { frameAt } from "../frame.ts";
import { html, inline, link, type Safe } from "../html.ts";
import { alternate, endTime, layout, time } from "../layout.ts";
import { describeOtherPaths, type Settings } from "../settings.ts";
import { contactLink } from "../site/about-page.ts";
import { curl, type SiteLinks } from "../site-links.ts";
import { datesList, distanceTo } from "./dates-list.ts";

/** The life cycle of V1 at a time, and the headers that state it. */
export type Notice = {
  settings: Settings;
  state: "active" | "announced" | "brownout" | "gone";
  now: Date;
  /** When the state began, and when it changes; null if never. */
  from: Date | null;
  until: Date | null;
  headers: { deprecation: string; sunset?: string; link: string };
};

/** The deprecation notice as an HTML page. */
export function deprecationPage(notice: Notice, links: SiteLinks): Safe {
  const { settings, state } = notice;
  return layout(frameAt(settings, links, notice), {
    title: "Deprecation of V1: Credence",
    description: "When V1 is switched off, and what to do about it.",
    current: "deprecation",
    head: alternate("application/json", links.dates),
    hasStrip: false,
    main: html`<section class="card"><div class="stack tight">${summary(notice)}</div>
<div class="acts">${actions(notice, links)}</div></section>
${state === "gone" && afterTheEnd(settings, links)}<section aria-labelledby="dates">
<h2 id="dates">Dates</h2>
${datesList(settings, state, notice.now)}
${state !== "gone" && datesNote(settings)}</section>
${state !== "gone" && instructions(notice)}`,
  });
}

const heading = (pill: Safe, text: string): Safe => html`<p class="pills">${pill}</p><h1>${text}</h1>
`;
const pill = (text: string, kind = ""): Safe => html`<span class="pill${kind}">${text}</span>`;

function summary({ settings, state, now, until }: Notice): Safe {
  const { sunsetAt, deprecatedAt } = settings;
  if (state === "gone") {
    return html`${heading(pill("Ended", " old"), "V1 has ended")}<p>It was switched off on ${sunsetAt && endTime(sunsetAt)}. Every request gets 410 with the code <code>gone</code>. No retry helps.</p>`;
  }
  if (state === "brownout" && until !== null) {
    return html`${heading(html`${pill("Off now", " old")}${pill(formatEnd(now))}`, `Off now. Back ${formatLeft(until, now)}`)}<p>Planned outage until ${endTime(until)}, a rehearsal of the end. Every request gets 410 with <code>Retry-After</code>; these pages go on working.${sunsetAt !== null && html` V1 ends for good on ${endTime(sunsetAt)}.`}</p>`;
  }
  const responds = pill("Now: V1 responds");
  const meaning = html`V1 is deprecated: no new fields, no support, and its data may be out of date.`;
  if (sunsetAt === null) {
    return html`${heading(responds, "V1 is deprecated")}<p>Since ${time(deprecatedAt)}. No end date is set. When one is set, it appears here and in the <code>Sunset</code> header. ${meaning}${rehearsals(settings, now, " V1")}</p>`;
  }
  const day = lastFullDay(sunsetAt);
  return html`${heading(responds, `V1 ends ${distanceTo(sunsetAt, now)}`)}<p>On ${endTime(sunsetAt)}.${day !== null && ` The last full day is ${formatDay(day)}.`}${rehearsals(settings, now, " Before that it")} ${meaning}</p>`;
}

const TIMES = ["", "once", "twice", "three times", "four times", "five times"];

/** How often V1 is off before it ends, and for how long. */
function rehearsals({ brownouts }: Settings, now: Date, start: string): string {
  const left = brownouts.filter(({ startsAt }) => startsAt > now);
  if (left.length === 0) return "";
  const spans = left.map(({ startsAt, endsAt }) => endsAt.getTime() - startsAt.getTime());
  const [shortest, longest] = [formatSpan(Math.min(...spans)), formatSpan(Math.max(...spans))];
  const length = shortest === longest ? shortest : `${shortest} to ${longest}`;
  return `${start} is off ${TIMES[left.length] ?? `${left.length} times`} for ${length}, a rehearsal of the end.`;
}

function actions({ settings, state }: Notice, links: SiteLinks): Safe {
  const { sunsetAt, successorUrl } = settings;
  if (state === "gone")
    return html`${successorUrl !== null && html`<a class="button" href="${link(successorUrl)}">Go to the successor</a>`}<a class="button ghost" href="${links.docs}">Reference of V1</a><a class="button ghost" href="${links.dates}">deprecation.json</a>`;
  return html`${sunsetAt !== null && html`<a class="button" href="${links.calendar}">Add the dates to a calendar</a>`}<a class="button ghost" href="${links.dates}">deprecation.json</a>`;
}

const datesNote = ({ brownouts, sunsetAt }: Settings): Safe =>
  html`<p class="small">${brownouts.length > 0 && html`In an outage every request gets 410 with the code <code>brownout</code>, and these pages stay up. `}${sunsetAt !== null && html`From the end on: 410 with the code <code>gone</code>; this page stays, and the reference. `}All times are UTC. Dates can move; deprecation.json has the current ones.</p>
`;

function afterTheEnd({ publicUrl, successorUrl, operator }: Settings, links: SiteLinks): Safe {
  return html`<section class="narrow" aria-labelledby="you">
<h2 id="you">A record was about you</h2>
<p>You can still have it erased.</p>
<p class="acts"><a class="button ghost" href="${links.holder}">Your record</a></p>
</section>
<section class="narrow" aria-labelledby="todo">
<h2 id="todo">A program of yours still calls V1</h2>
<p>Remove the calls to <code>${publicUrl}/api/v1/</code>${successorUrl !== null && html`, or send them to <a href="${link(successorUrl)}">${successorUrl}</a>`}.${operator.contact !== null && html` Questions: ${contactLink(operator.contact)}.`}</p>
</section>
`;
}

function instructions({ settings, headers, now }: Notice): Safe {
  const { publicUrl, authMode, successorUrl, brownouts, operator } = settings;
  const command = curl(`${publicUrl}/api/v1/passports`, authMode === "required").replace("curl -s", "curl -sI");
  const others = describeOtherPaths(settings);
  const operatorLink = operator.contact === null ? html`the operator` : contactLink(operator.contact);
  return html`<section aria-labelledby="todo">
<h2 id="todo">What to do</h2>
<ol class="steps">
<li><h3>Find out whether you are affected</h3>
<p>You are if a program of yours sends requests to <code>${publicUrl}/api/v1/</code>.${others !== null && html` ${inline(others)}`}</p>
<div class="head"><p>Every response states the dates:</p><button class="plain" type="button" data-copy-from="command" hidden>Copy<span class="vh"> the command</span></button></div>
<pre><code id="command">${command} | grep -iE '^(deprecation|sunset|link)'</code></pre>
<dl class="kv">${header("Deprecation", headers.deprecation, ` (${formatDate(settings.deprecatedAt)})`)}${header("Sunset", headers.sunset)}${header("Link", headers.link)}</dl></li>
<li><h3>Prepare for 410</h3>
<p>Use the last response that you have, with its age, or do without. In an outage <code>Retry-After</code> states the seconds to wait. After the end no retry helps.${brownouts.length > 0 && " If something breaks in an outage, it will break for good at the end."}</p></li>
<li><h3>Try it</h3>
<p>If you have a key, ask ${operatorLink} for a rehearsal: for an hour, requests with your key get 410, and nobody else is affected.${brownouts.some(({ startsAt }) => startsAt > now) && " Without a key, an outage is the rehearsal."}</p></li>
<li><h3>Move</h3>
<p>${
    successorUrl === null
      ? html`No successor is named. If one is, it appears here and in the <code>Link</code> header as <code>successor-version</code>.`
      : html`The successor is <a href="${link(successorUrl)}">${successorUrl}</a>.`
  } Stop calling V1 before it ends.</p></li>
</ol>
</section>`;
}

const header = (name: string, value: string | undefined, meaning = ""): Safe | false =>
  value !== undefined && html`<div><dt>${name}</dt><dd><code>${value}</code>${meaning}</dd></div>`;
