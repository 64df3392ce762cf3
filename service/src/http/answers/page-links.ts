import type { Pagination } from "@credence/contract/answers.ts";
import { link } from "#life-cycle/life-cycle.ts";
import { DEFAULT_PER_PAGE, type ListQuery } from "./list-query.ts";

/** Without `first` and `last` if the header would be longer. */
const MAX_LINKS_LENGTH = 1_500;

/** The Link entries of a page. Addresses contain the parsed query only, not unknown parameters. */
export function pageLinks(listUrl: string, query: ListQuery, { current_page, last_page }: Pagination): string[] {
  // This keyword may be as long as the request target, and would be repeated in each address.
  if (query.keyword.kind === "none") return [];
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
  // Proxies buffer 4 KB of headers by default; 100 Han characters take 900 bytes in each address.
  return all.join(", ").length > MAX_LINKS_LENGTH ? neighbours : all;
}
