import type { Pagination } from "@credence/contract/answers.ts";
import { link } from "#life-cycle/state-and-headers.ts";
import type { PageLink } from "#v1/cache/answer-cache.ts";
import { DEFAULT_PER_PAGE, type ListQuery } from "./list-query.ts";

/** Without `first` and `last` if the header would be longer. */
const MAX_LINKS_LENGTH = 1_500;

/** The links of a page. Their queries contain what was parsed only, not unknown parameters. */
export function pageLinks(query: ListQuery, { current_page, last_page }: Pagination): PageLink[] {
  // This keyword may be as long as the request target, and would be repeated in each address.
  if (query.keyword.kind === "none") return [];
  const to = (page: number, rel: string): PageLink => {
    const search = new URLSearchParams();
    if (query.keyword.kind === "names") search.set("keyword", query.keyword.text);
    search.set("page", String(page));
    if (query.perPage !== DEFAULT_PER_PAGE) search.set("per_page", String(query.perPage));
    return { query: `?${search}`, rel };
  };
  return [
    to(1, "first"),
    ...(current_page > 1 ? [to(Math.min(current_page - 1, last_page), "prev")] : []),
    ...(current_page < last_page ? [to(current_page + 1, "next")] : []),
    to(last_page, "last"),
  ];
}

/**
 * The entries of the Link header. `listUrl` is the address of the list under the prefix that was
 * requested, `ownUrl` under V1's own: under all prefixes the same links are sent.
 */
export function printPageLinks(listUrl: string, ownUrl: string, links: readonly PageLink[]): string {
  const print = (shown: readonly PageLink[]) => shown.map(({ query, rel }) => link(listUrl + query, rel)).join(", ");
  const all = print(links);
  const length = all.length + links.length * (ownUrl.length - listUrl.length);
  // Proxies buffer 4 KB of headers by default; 100 Han characters take 900 bytes in each address.
  return length > MAX_LINKS_LENGTH ? print(links.slice(1, -1)) : all;
}
