import type { Pagination } from "@credence/contract/answers.ts";
import { link } from "./headers.ts";
import { DEFAULT_PER_PAGE, type ListQuery } from "./list-query.ts";

/** The neighbours of a page, for the Link header: addresses hold what was understood of the query and nothing else. */
export function pageLinks(listUrl: string, query: ListQuery, { current_page, last_page }: Pagination): string[] {
  // Such a keyword may be as long as the target allows, and several of them would burst the header.
  if (query.keyword.kind === "nobody") return [];
  const to = (page: number, rel: string) => {
    const search = new URLSearchParams();
    if (query.keyword.kind === "names") search.set("keyword", query.keyword.text);
    search.set("page", String(page));
    if (query.perPage !== DEFAULT_PER_PAGE) search.set("per_page", String(query.perPage));
    return link(`${listUrl}?${search}`, rel);
  };
  return [
    to(1, "first"),
    ...(current_page > 1 ? [to(Math.min(current_page - 1, last_page), "prev")] : []),
    ...(current_page < last_page ? [to(current_page + 1, "next")] : []),
    to(last_page, "last"),
  ];
}
