import { formatDate, formatMoment, formatSpan, formatTime } from "../dates.ts";
import { html, type Safe } from "../html.ts";
import type { Settings } from "../settings.ts";

type Row = { what: Safe; from: Safe; until: Safe; span: string; isPast: boolean; isNow?: boolean };

/** All dates in order: what, from, until, how long. */
export function datesTable({ deprecatedAt, sunsetAt, brownouts }: Settings, now: Date): Safe {
  const rows: Row[] = [
    {
      what: html`Deprecated`,
      from: moment(deprecatedAt, formatDate),
      span: "",
      until: sunsetAt === null ? html`no end is set` : html`until the end`,
      isPast: deprecatedAt <= now,
    },
    ...brownouts.map(({ startsAt, endsAt }, index) => ({
      what: html`Brownout ${index + 1}`,
      from: moment(startsAt, formatMoment),
      until: moment(endsAt, isSameDay(startsAt, endsAt) ? formatTime : formatMoment),
      span: formatSpan(endsAt.getTime() - startsAt.getTime()),
      isPast: endsAt <= now,
      isNow: startsAt <= now && now < endsAt,
    })),
    ...(sunsetAt === null
      ? []
      : [
          {
            what: html`<b>End</b>`,
            from: html`<b>${moment(sunsetAt, formatDate)}</b>`,
            until: html`for good`,
            span: "",
            isPast: sunsetAt <= now,
          },
        ]),
  ];
  const heads = ["What", "From", "Until", "How long"];
  return html`<div class="fit"><table role="table" class="ref cards dates"><caption class="vh">Dates of V1, all in UTC</caption>
<thead role="rowgroup"><tr role="row">${heads.map((text) => html`<th role="columnheader" scope="col">${text}</th>`)}</tr></thead>
<tbody role="rowgroup">
${rows.map(dateRow)}</tbody></table></div>`;
}

const dateRow = ({ what, from, until, span, isPast, isNow }: Row): Safe =>
  html`<tr role="row"${isPast && html` class="past"`}><th role="rowheader" scope="row">${what}${isNow && " (now)"}</th><td role="cell">${from}</td><td role="cell"${span !== "" && html` data-label="until"`}>${until}</td><td role="cell">${span}</td></tr>
`;

const moment = (date: Date, format: (date: Date) => string): Safe =>
  html`<time datetime="${date.toISOString()}">${format(date)}</time>`;

const isSameDay = (a: Date, b: Date): boolean => a.toISOString().slice(0, 10) === b.toISOString().slice(0, 10);
