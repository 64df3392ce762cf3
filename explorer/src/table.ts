import { html, link, type Safe } from "./html.ts";
import { inline } from "./inline.ts";
import type { Entry } from "./reference.ts";

type Row = { head: Safe; second: Safe; cell: Safe };
export type Columns = readonly [string, string, string];
/** A caption is for everybody, or only for screen readers where a heading says the same. */
export type Caption = { text: string; isHidden?: boolean };

/** A table that becomes cards where it is narrow. It names its roles, as cards change their display and so lose them. */
export function table({ text, isHidden }: Caption, columns: Columns, rows: readonly Row[]): Safe {
  return html`<div class="fit"><table role="table">
<caption${isHidden && html` class="vh"`}>${text}</caption>
<thead role="rowgroup"><tr role="row">${columns.map(
    (column) => html`<th role="columnheader" scope="col">${inline(column)}</th>`,
  )}</tr></thead>
<tbody role="rowgroup">
${rows.map(
  ({
    head,
    second,
    cell,
  }) => html`<tr role="row"><th role="rowheader" scope="row">${head}</th><td role="cell">${second}</td><td role="cell">${cell}</td></tr>
`,
)}</tbody>
</table></div>`;
}

export function entryTable(caption: Caption, columns: Columns, entries: readonly Entry[]): Safe {
  const rows = entries.map((entry) => ({
    head: html`<code>${entry.name}</code>`,
    second: html`${entry.kind}`,
    cell: html`<p>${inline(entry.meaning)}</p>${factsOf(entry)}`,
  }));
  return table(caption, columns, rows);
}

function factsOf({ range, examples, holds }: Entry): Safe {
  const codes = examples.map((example, at) => html`${at > 0 && ", "}<code>${example}</code>`);
  const facts = [
    range !== null && html`Range: ${range}. `,
    holds !== null && html`Fields: <a href="${link(`#${holds.id}`)}">${holds.name}</a>. `,
    codes.length > 0 && html`${codes.length > 1 ? "Examples" : "Example"}: ${codes}`,
  ].filter((fact) => fact !== false);
  return html`<p class="facts">${facts}</p>`;
}
