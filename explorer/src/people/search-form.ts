import { html, type Safe } from "../html.ts";
import type { Site } from "./page-head.ts";

/** The large search field of the home and search pages. */
export const searchForm = (
  { links }: Pick<Site, "links">,
  query = "",
  below: Safe | null = null,
): Safe => html`<form class="stack" role="search" aria-label="Find a passport" action="${links.to("/search")}">
<label for="q">Find someone by name, wallet address or passport number</label>
<div class="find large">
<input id="q" type="search" name="q" autocomplete="off" spellcheck="false" dir="auto" value="${query}">
<button>Find</button>
</div>
${below}</form>`;
