import { html, link, type Safe } from "./html.ts";
import { inline } from "./inline.ts";
import type { Entry } from "./reference.ts";

type Row = { head: Safe; second: Safe; cell: Safe };
type Columns = readonly [string, string, string];
/** A hidden caption is for screen readers only, where a heading already has the same text. */
type Caption = { text: string; isHidden?: boolean };

/**
 * Renders a table that becomes cards on a narrow screen. The explicit roles are needed because the
 * cards change `display`, which removes the implicit roles.
 */
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

function factsOf({ range, examples, object }: Entry): Safe {
  const codes = examples.map((example, at) => html`${at > 0 && ", "}<code>${example}</code>`);
  const facts = [
    range !== null && html`Range: ${range}. `,
    object !== null && html`Fields: <a href="${link(`#${object.id}`)}">${object.name}</a>. `,
    codes.length > 0 && html`${codes.length > 1 ? "Examples" : "Example"}: ${codes}`,
  ].filter((fact) => fact !== false);
  return html`<p class="facts">${facts}</p>`;
}
