import { parsePerPage } from "./answers/list-query.ts";

/** See core/http/limits/rate-limits.ts. */
export const LOOK_UP_POINTS = 1;
/**
 * A search costs more than this. But the original service allowed 25 requests of any kind in 10
 * seconds, so no request may cost more than a 25th of the default limit.
 */
export const SEARCH_POINTS = 10;

/** A page of 1 costs 2 points, a page of 25 costs 4, a page of 100 costs 10. */
export const pagePoints = (perPage: number): number => Math.round(2 + perPage * 0.08);

type ListQuery = { keyword?: string | undefined; per_page?: string | undefined };

/** A keyword that is not blank may need a search. */
export const listPoints = ({ keyword = "", per_page }: ListQuery): number =>
  keyword.trim() === "" ? pagePoints(parsePerPage(per_page)) : SEARCH_POINTS;
