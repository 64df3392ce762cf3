import { fold } from "#identity/fold.ts";
import { gramsOf } from "#search/grams.ts";

export type ListQuery = { page: number; perPage: number; keyword: Keyword };

/** What a keyword asks for: everyone, nobody (it can match no name), or the names that hold a text. */
type Keyword = { kind: "everyone" } | { kind: "nobody" } | Names;
export type Names = { kind: "names"; text: string; folded: string; grams: string[] };

export const DEFAULT_PER_PAGE = 25;
const LARGEST_PER_PAGE = 100;
const LONGEST_KEYWORD = 100;

/** Tolerant by contract: whatever is sent means something, and nothing is an error. */
export function parseListQuery(query: Readonly<Record<string, string | undefined>>): ListQuery {
  return { page: parsePage(query.page), perPage: parsePerPage(query.per_page), keyword: parseKeyword(query.keyword) };
}

function parsePage(text = ""): number {
  const page = /^\d+$/.test(text) ? Number(text) : 1;
  return page >= 1 && Number.isSafeInteger(page) ? page : 1;
}

function parsePerPage(text = ""): number {
  if (!/^-?\d+$/.test(text)) return DEFAULT_PER_PAGE;
  return Math.min(Math.max(Number(text), 1), LARGEST_PER_PAGE);
}

function parseKeyword(raw = ""): Keyword {
  const text = raw.trim();
  if ([...text].length > LONGEST_KEYWORD) return { kind: "nobody" };
  // What is left of blanks and of marks without a letter is nothing to filter by.
  const folded = fold(text).trim();
  if (folded === "") return { kind: "everyone" };
  // PostgreSQL keeps no NUL, so no name holds one.
  if (folded.includes("\0")) return { kind: "nobody" };
  return { kind: "names", text, folded, grams: gramsOf(folded) };
}
