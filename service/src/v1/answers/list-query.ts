import { fold } from "#core/identity/fold.ts";

export type ListQuery = { page: number; perPage: number; keyword: Keyword };

/** All people, no possible match, or the names that contain a text. */
type Keyword = { kind: "all" } | { kind: "none" } | { kind: "names"; text: string; folded: string };

export const DEFAULT_PER_PAGE = 25;
const MAX_PER_PAGE = 100;
const MAX_KEYWORD_CODE_POINTS = 100;

/** Tolerant by contract: a value that cannot be read counts as absent, and none is an error. */
export function parseListQuery(query: Readonly<Record<string, string | undefined>>): ListQuery {
  return { page: parsePage(query.page), perPage: parsePerPage(query.per_page), keyword: parseKeyword(query.keyword) };
}

function parsePage(text = ""): number {
  const page = /^\d+$/.test(text) ? Number(text) : 1;
  return page >= 1 && Number.isSafeInteger(page) ? page : 1;
}

export function parsePerPage(text = ""): number {
  if (!/^-?\d+$/.test(text)) return DEFAULT_PER_PAGE;
  return Math.min(Math.max(Number(text), 1), MAX_PER_PAGE);
}

function parseKeyword(raw = ""): Keyword {
  const text = raw.trim();
  if ([...text].length > MAX_KEYWORD_CODE_POINTS) return { kind: "none" };
  // Blanks and marks without a letter fold to nothing, which filters nothing.
  const folded = fold(text).trim();
  if (folded === "") return { kind: "all" };
  // PostgreSQL cannot store NUL, so no name contains it.
  if (folded.includes("\0")) return { kind: "none" };
  return { kind: "names", text, folded };
}
