import { brief, type Clause, type Context, expectEach, expectStatus, Mismatch, Skipped } from "../clause.ts";
import type { HttpResponse } from "../client.ts";
import { isObject, itemsOf, LIST, objectOf } from "../sample.ts";
import type { Json } from "../shape.ts";

/** A keyword that is part of no name. */
const NO_MATCH = "zqxjkvwzqx";

async function requestList({ client }: Context, query: string): Promise<HttpResponse> {
  const response = await client.request(`${LIST}?${query}`);
  expectStatus(response, 200, query.slice(0, 40));
  return response;
}

const requestKeyword = (context: Context, keyword: string) =>
  requestList(context, `keyword=${encodeURIComponent(keyword)}`);
const idsOf = (list: HttpResponse): unknown[] => itemsOf(list, "passports").map(({ passport_id }) => passport_id);
const paginationOf = (list: HttpResponse): Json => objectOf(list, "pagination");
const totalOf = (list: HttpResponse): number => Number(paginationOf(list).total);
const nameOf = ({ passport_profile }: Json): string =>
  isObject(passport_profile) ? String(passport_profile.display_name ?? "") : "";
const scoreOf = ({ score }: Json): number | null => (typeof score === "number" ? score : null);

function expectCurrentPage(list: HttpResponse, expected: number, request: string): void {
  const { current_page } = paginationOf(list);
  if (current_page !== expected) throw new Mismatch(`${request}: current_page ${current_page}`, String(expected));
}

/** A person of the sample with a name that can be searched. */
function personWithName({ sample }: Context): { id: number; name: string } {
  for (const { id, name } of sample.people)
    if (name !== null && /^[\p{L}\p{N}][\p{L}\p{N} .-]{2,40}$/u.test(name)) return { id, name };
  throw new Skipped("the sample has no person with a plain name");
}

export const LIST_CLAUSES: Clause[] = [
  {
    id: "list-sorted",
    level: "spec",
    rule: "The list is sorted by score.",
    why: "Leaderboards show the list in the order of the response.",
    check: async ({ sample }) => {
      const scores = sample.listed.map(scoreOf).filter((score) => score !== null);
      if (new Set(scores).size < 2) throw new Skipped("all listed scores are equal");
      const descending = scores.every((score, index) => index === 0 || score <= (scores[index - 1] ?? score));
      const ascending = scores.every((score, index) => index === 0 || score >= (scores[index - 1] ?? score));
      if (!descending && !ascending) throw new Mismatch(brief(scores.join(", ")), "sorted scores");
      return `${scores.length} scores, ${descending ? "descending" : "ascending"}`;
    },
  },
  {
    id: "keyword-filters",
    level: "spec",
    rule: "keyword filters passports by name.",
    why: "Clients search people by name.",
    check: async (context) => {
      if (context.sample.listed.length === 0) throw new Skipped("the list is empty");
      const none = idsOf(await requestList(context, `keyword=${NO_MATCH}`)).length;
      if (none > 0) throw new Mismatch(`${none} people for a name that does not exist`, "an empty list");
      const { id, name } = personWithName(context);
      const matches = await requestKeyword(context, name);
      const [total, all] = [totalOf(matches), totalOf(context.sample.list)];
      if (!idsOf(matches).includes(id) && total <= idsOf(matches).length)
        throw new Mismatch(`${brief(name)} does not find passport ${id}`, "the person of that name");
      if (all > 1 && total >= all) throw new Mismatch(`${brief(name)} matches all ${total}`, "fewer than all");
      return `${brief(name)} is found; ${NO_MATCH} has no match`;
    },
  },
  {
    id: "sort-descending",
    level: "credence",
    rule: "The order is descending score, null scores last, then ascending passport_id.",
    why: "With a total order, pages never overlap.",
    check: async ({ sample }) => {
      if (sample.listed.length < 2) throw new Skipped("fewer than two people are listed");
      const rank = (passport: Json) => scoreOf(passport) ?? -1;
      const misplaced = sample.listed.find((passport, index) => {
        const previous = sample.listed[index - 1];
        if (previous === undefined) return false;
        const fall = rank(previous) - rank(passport);
        return fall < 0 || (fall === 0 && Number(previous.passport_id) >= Number(passport.passport_id));
      });
      if (misplaced !== undefined)
        throw new Mismatch(
          `passport ${misplaced.passport_id} is misplaced`,
          "descending score, then ascending passport_id",
        );
      return `${sample.listed.length} in order`;
    },
  },
  {
    id: "pages-continue",
    level: "credence",
    rule: "page=2 continues after page 1, without duplicates.",
    why: "Clients read all pages and expect every person once.",
    check: async (context) => {
      const { listed, list } = context.sample;
      if (listed.length < 2 || totalOf(list) <= listed.length) throw new Skipped("the list has only one page");
      const second = await requestList(context, "page=2");
      const first = new Set(idsOf(list));
      const ids = idsOf(second);
      if (ids.length === 0) throw new Mismatch("page 2 is empty", "the people after page 1");
      expectEach(
        ids,
        (id) => !first.has(id),
        (id) => `passport ${id} on both pages`,
        "every person once",
      );
      if (new Set(ids).size < ids.length) throw new Mismatch("a duplicate on page 2", "every person once");
      expectCurrentPage(second, 2, "page=2");
      return `${ids.length} more people`;
    },
  },
  {
    id: "page-invalid",
    level: "credence",
    rule: "A page that is malformed, below 1 or too large means 1.",
    why: "Existing clients send such values.",
    check: async (context) => {
      const invalid = ["0", "-1", "abc", "1e1", "9007199254740992"];
      for (const page of invalid) expectCurrentPage(await requestList(context, `page=${page}`), 1, `page=${page}`);
      return invalid.join(", ");
    },
  },
  {
    id: "page-past-end",
    level: "credence",
    rule: "A page past the end is 200 with an empty list and the requested current_page.",
    why: "Clients that read past the end must stop without an error.",
    check: async (context) => {
      const list = await requestList(context, "page=99999999");
      if (idsOf(list).length > 0) throw new Mismatch(`${idsOf(list).length} people`, "an empty list");
      expectCurrentPage(list, 99999999, "page=99999999");
      return "an empty list";
    },
  },
  {
    id: "per-page",
    level: "credence",
    rule: "The default of per_page is 25; other values are limited to the range from 1 to 100.",
    why: "Clients depend on the default, and the maximum bounds the cost of a request.",
    check: async (context) => {
      const total = totalOf(context.sample.list);
      for (const [query, size] of [
        ["", 25],
        ["per_page=1", 1],
        ["per_page=10", 10],
        ["per_page=0", 1],
        ["per_page=1000", 100],
        ["per_page=x", 25],
      ] as const) {
        const { length } = idsOf(await requestList(context, query));
        const expected = Math.min(size, total);
        if (length !== expected) throw new Mismatch(`${query || "no per_page"}: ${length} people`, String(expected));
      }
      return "1, 10, 25 and 100";
    },
  },
  {
    id: "last-page",
    level: "credence",
    rule: "last_page is total divided by the page size, rounded up, and at least 1.",
    why: "Clients stop when current_page equals last_page.",
    check: async (context) => {
      const lists: [HttpResponse, number][] = [
        [context.sample.list, 25],
        [await requestList(context, "per_page=1"), 1],
        [await requestList(context, `keyword=${NO_MATCH}`), 25],
      ];
      for (const [list, size] of lists) {
        const expected = Math.max(1, Math.ceil(totalOf(list) / size));
        const { last_page, total } = paginationOf(list);
        if (last_page !== expected)
          throw new Mismatch(`last_page ${last_page} for a total of ${total}`, String(expected));
      }
      return "three lists";
    },
  },
  {
    id: "keyword-folds",
    level: "credence",
    rule: "keyword ignores case and surrounding spaces.",
    why: "People type names in different ways.",
    check: async (context) => {
      const { name } = personWithName(context);
      const expected = totalOf(await requestKeyword(context, name));
      for (const spelling of [name.toUpperCase(), name.toLowerCase(), `  ${name} `]) {
        const total = totalOf(await requestKeyword(context, spelling));
        if (total !== expected)
          throw new Mismatch(`${brief(spelling)}: ${total}`, `${expected}, as for ${brief(name)}`);
      }
      return `${expected} for every spelling of ${brief(name)}`;
    },
  },
  {
    id: "keyword-blank",
    level: "credence",
    rule: "A blank keyword matches all passports.",
    why: "Empty search boxes send a blank keyword.",
    check: async (context) => {
      const [total, all] = [totalOf(await requestKeyword(context, "  ")), totalOf(context.sample.list)];
      if (total !== all) throw new Mismatch(String(total), String(all));
      return String(total);
    },
  },
  {
    id: "keyword-literal",
    level: "credence",
    rule: "%, _ and \\ in a keyword are ordinary characters.",
    why: "As wildcards they would match every name.",
    check: async (context) => {
      for (const sign of ["%", "_", "\\"]) {
        expectEach(
          itemsOf(await requestKeyword(context, sign), "passports").map(nameOf),
          (name) => name.includes(sign),
          (name) => `${sign} finds ${brief(name)}`,
          `names with ${sign}`,
        );
      }
      return "%, _ and \\";
    },
  },
  {
    id: "keyword-long",
    level: "credence",
    rule: "A keyword of more than 100 characters matches no passport.",
    why: "The limit bounds the cost of a search.",
    check: async (context) => {
      const total = totalOf(await requestKeyword(context, "x".repeat(101)));
      if (total !== 0) throw new Mismatch(`total ${total}`, "0");
      return "no match";
    },
  },
  {
    id: "keyword-invalid-bytes",
    level: "credence",
    rule: "A keyword with bytes that are not valid text does not cause an error.",
    why: "An attacker could otherwise cause server errors at will.",
    check: async (context) => {
      const keywords = ["%00", "a%00b", "%ff%fe", "%ed%a0%80", "%zz"];
      for (const keyword of keywords) await requestList(context, `keyword=${keyword}`);
      return keywords.join(", ");
    },
  },
];
