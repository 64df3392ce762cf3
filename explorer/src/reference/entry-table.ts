import { html, inline, link, type Safe } from "../html.ts";
import { type Caption, type Columns, table } from "../table.ts";
import type { Entry } from "./reference.ts";

export function entryTable(caption: Caption, columns: Columns, entries: readonly Entry[]): Safe {
  const rows = entries.map((entry) => ({
    head: html`<code>${entry.name}</code>`,
    second: html`${entry.kind}`,
    cell: html`${meaningOf(entry.meaning)}${factsOf(entry)}`,
  }));
  return table(caption, columns, rows);
}

const MAX_SENTENCES = 4;

/** Many rules are a list, below what the parameter is. */
function meaningOf(text: string): Safe {
  const [first = "", ...rules] = text.split(/(?<=\.) (?=[A-Z`])/);
  if (rules.length <= MAX_SENTENCES) return html`<p>${inline(text)}</p>`;
  return html`<p>${inline(first)} </p><ul>${rules.map((rule) => html`<li>${inline(rule)} </li>`)}</ul>`;
}

function factsOf({ range, examples, object }: Entry): Safe {
  const codes = examples.map((example, index) => html`${index > 0 && ", "}<code>${example}</code>`);
  const facts = [
    range !== null && html`Range: ${range}. `,
    object !== null && html`Fields: <a href="${link(`#${object.id}`)}">${object.name}</a>. `,
    codes.length > 0 && html`${codes.length > 1 ? "Examples" : "Example"}: ${codes}`,
  ].filter((fact) => fact !== false);
  return html`<p class="small soft">${facts}</p>`;
}
