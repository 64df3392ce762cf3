import { ERRORS, type ErrorCode } from "@credence/contract/errors.ts";
import { formatMoment } from "../dates.ts";
import type { Frame } from "../frame.ts";
import { html, link, type Safe } from "../html.ts";
import { endTime, layout } from "../layout.ts";
import { searchForm } from "../people/search-page.ts";
import { contactLink } from "./about-page.ts";

export type ErrorState = {
  code: ErrorCode;
  status: number;
  /** Names the request in the server's log. */
  requestId: string;
  /** When a client over its limit can go on. */
  retryAt: Date | null;
  /** The address that was asked for, without the base path; null if it cannot be loaded again. */
  address: string | null;
  /** Of a passport that is not shown: its number, null if a wallet was asked for. Null: another page. */
  passport: { id: number | null } | null;
};

/** The page for a browser that gets no other page. It has the status of the error. */
export function errorPage(frame: Frame, state: ErrorState): Safe {
  const { heading, text } = describe(frame, state);
  return layout(frame, {
    title: `${heading}: Credence`,
    description: heading,
    current: null,
    head: html`<meta name="robots" content="noindex">\n`,
    hasStrip: false,
    hasSearch: !hasOwnSearch(state.code),
    main: html`<section class="card">
<div class="stack tight"><p class="over">${state.status}</p>
<h1>${heading}</h1>
${text}</div>
${hasOwnSearch(state.code) && frame.links.people !== null && searchForm(frame)}</section>
${state.passport !== null && isItYours(frame, state.passport.id)}${state.code === "gone" && afterTheEnd(frame)}`,
  });
}

const hasOwnSearch = (code: ErrorCode): boolean => code === "not_found" || code === "unknown_path";

type Description = { heading: string; text: Safe };

function describe({ settings, links }: Frame, state: ErrorState): Description {
  const { code, requestId, retryAt, address, passport } = state;
  const request = html`<p class="soft small">Request <code>${requestId}</code></p>`;
  const again = address !== null && html`<p><a class="button" href="${links.to(address)}">Load again</a></p>\n`;
  switch (code) {
    case "not_found":
      return {
        heading:
          passport === null || passport.id === null
            ? "There is no such page"
            : `No passport is shown for ${passport.id}`,
        text: html`<p>${passport === null ? "Nothing is shown at this address." : `The ${passport.id === null ? "wallet" : "number"} may be mistyped, or the person may not be shown.`}</p>`,
      };
    case "unknown_path":
      return {
        heading: "There is no such page",
        text: html`<p>Nothing is shown at this address.</p>
<p class="small soft">For programs: V1 is at <code>/api/v1/passports</code> and <code>/api/v1/passport_credentials</code>. The <a href="${links.docs}">reference</a> has examples.</p>`,
      };
    case "rate_limited":
      return {
        heading: "Too many requests",
        text: html`<p>This address has sent more requests than allowed.${retryAt !== null && html` You can go on at <time datetime="${retryAt.toISOString()}">${clock(retryAt)}</time>, in <b data-countdown="${retryAt.toISOString()}">a moment</b>.`}</p>
${again}<p class="small soft">Programs should use the <a href="${links.docs}">API</a>. Its <code>Retry-After</code> header says how long to wait.</p>
${request}`,
      };
    case "gone":
      return {
        heading: "V1 has ended",
        text: html`<p>This server kept the reputation scores of a service called V1 available${settings.sunsetAt !== null && html` until ${endTime(settings.sunsetAt)}`}. People and scores are not shown any more, and the API answers every request with 410.</p>
${settings.successorUrl !== null && html`<p>Its successor is <a href="${link(settings.successorUrl)}">${settings.successorUrl}</a>.</p>`}`,
      };
    case "unavailable":
      return {
        heading: "This page cannot be shown right now",
        text: html`<p>The server is running, but cannot show people now. You did nothing wrong. This usually lasts less than a minute. If this server is a copy of another one, it can last hours.</p>
${again}${request}`,
      };
    case "internal":
      return {
        heading: "Something went wrong on the server",
        text: html`<p>Load the page again. If that does not help, <a href="${links.about}">tell the operator</a>, and quote the request below.</p>
${again}${request}`,
      };
    default:
      return { heading: ERRORS[code].error.replace(/\.$/, ""), text: request };
  }
}

/** The same for every number that is not shown, but for the number. */
const isItYours = ({ links }: Frame, id: number | null): Safe => html`<section class="narrow" aria-labelledby="you">
<h2 id="you">Is it yours?</h2>
<p>If ${id === null ? "this passport" : `passport ${id}`} is about you, you can have it shown again, or erased. This page says the same for every ${id === null ? "wallet" : "number"} that is not shown.</p>
<p class="acts"><a class="button ghost" href="${links.holder}">Your record</a></p>
</section>
`;

/** What people and programs can still do. */
function afterTheEnd({ settings, links }: Frame): Safe {
  const { name, contact } = settings.operator;
  const who = [
    ...(name === null ? [] : [html`<b><bdi>${name}</bdi></b>`]),
    ...(contact === null ? [] : [contactLink(contact)]),
  ];
  return html`<section aria-labelledby="you">
<h2 id="you">If a record was about you</h2>
<p>You can still have it erased.</p>
<p><a class="button" href="${links.holder}">Your record</a></p>
</section>
<section aria-labelledby="programs">
<h2 id="programs">If a program of yours used V1</h2>
<p><a href="${links.deprecation}">What to do now</a>.${who.length > 0 && html` Questions: ${who.map((part, index) => html`${index > 0 && ", "}${part}`)}.`}</p>
</section>`;
}

/** `28 May 2024, 18:24:10 UTC`. */
const clock = (date: Date): string => formatMoment(date).replace(/\d{2}:\d{2}/, date.toISOString().slice(11, 19));
