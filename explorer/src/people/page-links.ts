import type { Pagination } from "@credence/contract/answers.ts";
import { html, type Link, link, type Safe } from "../html.ts";
import { whole } from "./figures.ts";

/** Pages on each side of the current one. */
const NEIGHBOURS = 2;

/** Links to other pages of a list: the first, the last, and those around the current one. */
export function pageLinks({ current_page, last_page }: Pagination, to: (page: number) => Link): Safe | null {
  if (last_page === 1 && current_page === 1) return null;
  const current = Math.min(current_page, last_page + 1);
  const shown = new Set([1, last_page]);
  for (let page = current - NEIGHBOURS; page <= current + NEIGHBOURS; page += 1) {
    if (page > 1 && page < last_page) shown.add(page);
  }
  let previous = 0;
  const items = [...shown]
    .sort((a, b) => a - b)
    .map((page) => {
      const skipped = page > previous + 1 && html`<li aria-hidden="true"><span>…</span></li>`;
      previous = page;
      return html`${skipped}<li>${pageLink(page, page === current_page, to)}</li>`;
    });
  return html`<nav aria-label="Pages of the list"><ul class="pages">
${current > 1 && html`<li><a href="${to(current - 1)}" rel="prev">Previous page</a></li>`}
${items}
${current < last_page && html`<li><a href="${to(current + 1)}" rel="next">Next page</a></li>`}
</ul></nav>
`;
}

const pageLink = (page: number, isCurrent: boolean, to: (page: number) => Link): Safe => {
  const label = html`<span class="vh">Page </span>${whole(page)}`;
  return isCurrent ? html`<span aria-current="page">${label}</span>` : html`<a href="${to(page)}">${label}</a>`;
};

/** The address of a page of a list. The first page has no number. */
export function listPath(path: string, name: "q" | "keyword", text: string, page: number): string {
  const query = new URLSearchParams();
  if (text !== "") query.set(name, text);
  if (page > 1) query.set("page", String(page));
  return query.size === 0 ? path : `${path}?${query}`;
}

export const listLink = (base: Link, name: "q" | "keyword", text: string) => (page: number) =>
  link(listPath(base.toString(), name, text, page));
