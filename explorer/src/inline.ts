import { html, type Safe } from "./html.ts";

/** Renders text in which backticks mark code, as in the descriptions of the OpenAPI document. */
export function inline(text: string): Safe {
  const parts = text.split("`");
  return html`${parts.map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))}`;
}
