import { formatCount } from "../dates.ts";
import { frameAt } from "../frame.ts";
import { html, inline, type Link, link, type Safe } from "../html.ts";
import { alternate, layout, time } from "../layout.ts";
import { describeOtherPaths, type Settings } from "../settings.ts";
import { curl, type SiteLinks } from "../site-links.ts";
import { table } from "../table.ts";
import { datesTable } from "./dates-table.ts";
import { scaledLine } from "./deprecation-timeline.ts";

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
  const { settings, now, state } = notice;
  const hasCalendar = settings.sunsetAt !== null && state !== "gone";
  return layout(frameAt(settings, links, notice), {
    title: "Deprecation of V1: Credence",
    description: "When V1 is switched off, and what to do about it.",
    current: "deprecation",
    head: alternate("application/json", links.dates),
    hasStrip: false,
    main: html`<section>
${summary(notice)}
<p class="side">${hasCalendar && html`<a class="button" href="${links.calendar}">Add the dates to a calendar</a> `}<a class="small" href="${links.dates}">deprecation.json</a></p>
</section>
<section aria-labelledby="dates">
<h2 id="dates">Dates</h2>
${scaledLine(settings, now)}
${datesTable(settings, now)}
<p class="small">${settings.brownouts.length > 0 && html`In a brownout every request gets 410 with the code <code>brownout</code>, and these pages stay up. `}${settings.sunsetAt !== null && html`From the end on, every request gets 410 with the code <code>gone</code>. `}All times are UTC.${state !== "gone" && " Dates can move: deprecation.json has the current ones."}</p>
</section>
${instructions(notice, links)}
${headerTable(notice)}`,
  });
}

function summary({ settings, state, now, until }: Notice): Safe {
  const { sunsetAt, brownouts, deprecatedAt } = settings;
  const left = brownouts.filter(({ startsAt }) => startsAt > now).length;
  const end = sunsetAt && html`It ends on ${time(sunsetAt)}.`;
  const warnings =
    left > 0 &&
    html` Before that it is switched off ${timesOff(left, state === "brownout")} for a short while (a <i>brownout</i>), so that everyone who still depends on it notices in time.`;
  if (state === "gone") {
    return html`<h1>V1 has ended</h1>
<p>V1 was switched off on ${sunsetAt && time(sunsetAt)}. Every request gets 410 with the code <code>gone</code>.</p>`;
  }
  if (state === "brownout") {
    return html`<h1>V1 is switched off for now</h1>
<p>This is a brownout, a rehearsal of the end of V1. Every request gets 410 until ${until && time(until)}. Then V1 responds again. ${end}${warnings}</p>`;
  }
  return html`<h1>${sunsetAt === null ? "V1 is deprecated" : `V1 ends ${daysLeft(sunsetAt, now)}`}</h1>
<p>V1 responds as it always did. It is deprecated since ${time(deprecatedAt)}: it gets no new fields, it is unsupported, and its data may be out of date. ${
    end ?? html`No end date is set. When one is set, it appears here and in the <code>Sunset</code> header.`
  }${warnings}</p>`;
}

function daysLeft(end: Date, now: Date): string {
  const days = Math.floor((end.getTime() - now.getTime()) / DAY_MS);
  return days < 1 ? "within a day" : `in ${formatCount(days, "day")}`;
}

const DAY_MS = 86_400_000;

const timesOff = (left: number, isOff: boolean): string =>
  `${left === 1 ? "once" : `${left} times`}${isOff ? " more" : ""}`;

function instructions({ settings, headers, state }: Notice, { calendar }: SiteLinks): Safe {
  const { publicUrl, authMode, successorUrl } = settings;
  const command = curl(`${publicUrl}/api/v1/passports`, authMode === "required").replace("curl -s", "curl -sI");
  const others = describeOtherPaths(settings);
  const shown = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return html`<section aria-labelledby="todo">
<h2 id="todo">What to do</h2>
<ol class="steps">
<li><h3>Find out whether you are affected</h3>
<p>You are if a program of yours sends requests to <code>${publicUrl}/api/v1/</code>. Search your code, your settings and the logs of your outgoing requests for this address.${others !== null && html` ${inline(others)}`} </p>
<div class="head"><p>Every response states the dates:</p><button class="plain" type="button" data-copy-from="command" hidden>Copy<span class="vh"> the command</span></button></div>
<pre><code id="command">${command} | grep -iE '^(deprecation|sunset|link)'</code></pre>
<pre><code>${shown.join("\n")}</code></pre></li>
${state !== "gone" && preparation(settings, calendar)}<li><h3>Move</h3>
<p>${
    successorUrl === null
      ? html`No successor is named. If one is, it appears here and in the <code>Link</code> header as <code>successor-version</code>.`
      : html`The successor is <a href="${link(successorUrl)}">${successorUrl}</a>.`
  }${state !== "gone" && " Stop calling V1 before it ends."}</p></li>
</ol>
</section>`;
}

/** What helps as long as V1 responds. */
const preparation = ({ brownouts }: Settings, calendar: Link): Safe => html`<li><h3>Prepare for 410</h3>
<p>Let your program use the last response that it has, together with its age, or do without. It must not repeat the request in a loop: in a brownout, <code>Retry-After</code> states the seconds to wait. After the end, no retry helps.</p>
${brownouts.length > 0 && html`<p>Put the ${formatCount(brownouts.length, "brownout")} into your calendar: <a href="${calendar}">deprecation.ics</a>. If something breaks at one of these times, it will break for good at the end.</p>`}</li>
<li><h3>Try it</h3>
<p>If you have a key, ask the operator for a rehearsal: for an hour, say, requests with your key get the response of a brownout, and nobody else is affected.</p></li>
`;

function headerTable({ headers }: Notice): Safe {
  const rows = [
    row("Deprecation", "every response", "Since when V1 is deprecated: RFC 9745, Unix seconds after an @."),
    row(
      "Sunset",
      headers.sunset === undefined ? "not sent yet" : "every response",
      "When V1 ends: RFC 8594, an HTTP date. Sent as soon as the date is set.",
    ),
    row("Link", "every response", 'The entry with rel="deprecation" leads to the notice on this deprecation.'),
    row("Retry-After", "410 in a brownout", "The seconds until V1 responds again."),
  ];
  return html`<section aria-labelledby="headers">
<h2 id="headers">Headers to watch</h2>
<p>A program that reads these headers can warn you by itself.</p>
${table({ text: "Headers to watch", isHidden: true }, ["Header", "On", "Meaning"], rows)}
</section>`;
}

const row = (name: string, on: string, meaning: string) => ({
  head: html`<code>${name}</code>`,
  second: html`${on}`,
  cell: html`<p>${meaning}</p>`,
});
