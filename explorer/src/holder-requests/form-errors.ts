import { html, link, type Safe } from "../html.ts";

/** What is wrong with a field: in a few words for the list above the form, and with what to do at the field. */
export type FieldError = { field: string; short: string; text: string | Safe };

const COUNTS = ["One thing needs", "Two things need"];

/** All errors of a form at once, each with a link to its field. */
export const errorList = (errors: readonly FieldError[]): Safe | false =>
  errors.length > 0 &&
  html`<div class="note wrong narrow" role="alert"><h2>${COUNTS[errors.length - 1]} correcting. Nothing was changed.</h2><ul>${errors.map(({ field, short }) => html`<li><a href="${link(`#${field}`)}">${short}</a></li>`)}</ul></div>
`;

/** The sentence above a field, and what connects the field with it and with its hint. */
export function errorAt(errors: readonly FieldError[], field: string, hint?: string) {
  const error = errors.find((error) => error.field === field);
  const ids = [...(hint === undefined ? [] : [hint]), ...(error === undefined ? [] : [`${field}-wrong`])];
  const describedBy = ids.length > 0 && html` aria-describedby="${ids.join(" ")}"`;
  return {
    sentence: error !== undefined && html`<p class="wrong small" id="${field}-wrong"><b>Error:</b> ${error.text}</p>\n`,
    describedBy,
    attributes: html`${describedBy}${error !== undefined && html` aria-invalid="true"`}`,
  };
}
