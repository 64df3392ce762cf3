import { html, inline, type Safe } from "./html.ts";

type Row = { head: Safe; second: Safe; cell: Safe };
export type Columns = readonly [string, string, string];
/** A hidden caption is for screen readers only, where a heading already has the same text. */
export type Caption = { text: string; isHidden?: boolean };

/**
 * Renders a table that becomes cards on a narrow screen. The explicit roles are needed because the
 * cards change `display`, which removes the implicit roles.
 */
export function table({ text, isHidden }: Caption, columns: Columns, rows: readonly Row[], kind = ""): Safe {
  return html`<div class="fit"><table role="table" class="ref cards${kind !== "" && ` ${kind}`}">
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
