import type { Pagination } from "@credence/contract/answers.ts";
import { link } from "#http/respond/v1-headers.ts";
import { DEFAULT_PER_PAGE, type ListQuery } from "./list-query.ts";

/** `first` and `last` are left out of a longer header. */
const LONGEST_LINKS = 1_500;

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
  const neighbours = [
    ...(current_page > 1 ? [to(Math.min(current_page - 1, last_page), "prev")] : []),
    ...(current_page < last_page ? [to(current_page + 1, "next")] : []),
  ];
  const all = [to(1, "first"), ...neighbours, to(last_page, "last")];
  // A proxy's buffer for all headers may be 4 KB, and a keyword of 100 Han characters takes 900 bytes in each address.
  return all.join(", ").length > LONGEST_LINKS ? neighbours : all;
}
