import type { Answer } from "../asker.ts";
import { brief, type Clause, expectEach, type Kit, Mismatch, NotSeen } from "../clause.ts";
import { isObject, itemsOf, LIST, objectOf } from "../sample.ts";
import type { Json } from "../shape.ts";

/** No name holds it, as a whole or in parts. */
const NONSENSE = "zqxjkvwzqx";

const ask = ({ asker }: Kit, query: string): Promise<Answer> => asker.ask(`${LIST}?${query}`);
const idsOf = (answer: Answer): unknown[] => itemsOf(answer, "passports").map(({ passport_id }) => passport_id);
const pagination = (answer: Answer): Json => objectOf(answer, "pagination");
const nameOf = (passport: Json): string =>
  isObject(passport.passport_profile) ? String(passport.passport_profile.display_name ?? "") : "";
const totalOf = (answer: Answer): number => Number(pagination(answer).total);

function expectList(answer: Answer, question: string): void {
  if (answer.status !== 200) throw new Mismatch(`${question}: ${answer.status}`, "200");
}

/** A sampled person with a name worth searching for. */
function someoneNamed({ sample }: Kit): { id: number; name: string } {
  const named = sample.people.find(({ name }) => name !== null && /^[\p{L}\p{N}][\p{L}\p{N} .-]{2,40}$/u.test(name));
  if (named?.name == null) throw new NotSeen("nobody in the sample has a plain name");
  return { id: named.id, name: named.name };
}

const scoreOf = ({ score }: Json): number | null => (typeof score === "number" ? score : null);

function needMany({ sample }: Kit): number {
  const total = totalOf(sample.list);
  if (sample.listed.length < 2 || total <= sample.listed.length) throw new NotSeen("the list has one page only");
  return total;
}

export const LIST_CLAUSES: Clause[] = [
  {
    id: "list-sorted",
    level: "spec",
    says: "The list is sorted by score.",
    why: "Leaderboards show it as it comes.",
    check: async ({ sample }) => {
      const scores = sample.listed.map(scoreOf).filter((score) => score !== null);
      if (new Set(scores).size < 2) throw new NotSeen("all listed scores are equal");
      const falling = scores.every((score, at) => at === 0 || score <= (scores[at - 1] ?? score));
      const rising = scores.every((score, at) => at === 0 || score >= (scores[at - 1] ?? score));
      if (!falling && !rising) throw new Mismatch(brief(scores.join(", ")), "scores in one direction");
      return `${scores.length} scores, ${falling ? "falling" : "rising"}`;
    },
  },
  {
    id: "keyword-filters",
    level: "spec",
    says: "keyword filters passports by name.",
    why: "Clients search people by name and take what comes.",
    check: async (kit) => {
      if (kit.sample.listed.length === 0) throw new NotSeen("nobody is listed");
      const nobody = await ask(kit, `keyword=${NONSENSE}`);
      expectList(nobody, "a name nobody has");
      if (idsOf(nobody).length > 0)
        throw new Mismatch(`${idsOf(nobody).length} people for a name nobody has`, "an empty list");
      const { id, name } = someoneNamed(kit);
      const found = await ask(kit, `keyword=${encodeURIComponent(name)}`);
      if (!idsOf(found).includes(id) && totalOf(found) <= idsOf(found).length) {
        throw new Mismatch(`${brief(name)} does not find passport ${id}`, "the person of that name");
      }
      const [filtered, all] = [totalOf(found), totalOf(kit.sample.list)];
      if (all > 1 && filtered >= all) throw new Mismatch(`${brief(name)} finds all ${filtered}`, "fewer than everyone");
      return `${brief(name)} found, a name nobody has not`;
    },
  },
  {
    id: "sort-descending",
    level: "credence",
    says: "The highest score comes first, null scores last, ties by ascending passport_id.",
    why: "One total order, so pages never overlap.",
    check: async ({ sample }) => {
      if (sample.listed.length < 2) throw new NotSeen("fewer than two people are listed");
      const rank = (passport: Json) => scoreOf(passport) ?? -1;
      const wrong = sample.listed.find((passport, at) => {
        const before = sample.listed[at - 1];
        if (before === undefined) return false;
        const fall = rank(before) - rank(passport);
        return fall < 0 || (fall === 0 && Number(before.passport_id) >= Number(passport.passport_id));
      });
      if (wrong !== undefined)
        throw new Mismatch(
          `passport ${wrong.passport_id} out of place`,
          "descending score, then ascending passport_id",
        );
      return `${sample.listed.length} in order`;
    },
  },
  {
    id: "pages-continue",
    level: "credence",
    says: "page=2 goes on where page 1 ends, without meeting anyone twice.",
    why: "Clients walk the list by `page`, and count on everyone once.",
    check: async (kit) => {
      needMany(kit);
      const second = await ask(kit, "page=2");
      expectList(second, "page=2");
      const first = new Set(kit.sample.listed.map(({ passport_id }) => passport_id));
      const ids = idsOf(second);
      if (ids.length === 0) throw new Mismatch("page 2 is empty", "the people after page 1");
      expectEach(
        ids,
        (id) => !first.has(id),
        (id) => `passport ${id} on both pages`,
        "everyone once",
      );
      if (new Set(ids).size < ids.length) throw new Mismatch("somebody twice on page 2", "everyone once");
      if (pagination(second).current_page !== 2)
        throw new Mismatch(`current_page ${pagination(second).current_page}`, "2");
      return `${ids.length} further people`;
    },
  },
  {
    id: "page-tolerant",
    level: "credence",
    says: "A page that is missing, malformed, below 1 or too large means 1.",
    why: "Old callers send what they send.",
    check: async (kit) => {
      const odd = ["0", "-1", "abc", "1e1", "9007199254740992"];
      for (const page of odd) {
        const answer = await ask(kit, `page=${page}`);
        expectList(answer, `page=${page}`);
        const { current_page } = pagination(answer);
        if (current_page !== 1) throw new Mismatch(`page=${page} gives current_page ${current_page}`, "1");
      }
      return odd.join(", ");
    },
  },
  {
    id: "page-past-end",
    level: "credence",
    says: "A page past the end is 200 with an empty list and the asked current_page.",
    why: "Clients that overshoot must stop, not crash.",
    check: async (kit) => {
      const answer = await ask(kit, "page=99999999");
      expectList(answer, "page=99999999");
      if (idsOf(answer).length > 0) throw new Mismatch(`${idsOf(answer).length} people`, "an empty list");
      if (pagination(answer).current_page !== 99999999)
        throw new Mismatch(`current_page ${pagination(answer).current_page}`, "99999999");
      return "an empty list";
    },
  },
  {
    id: "per-page",
    level: "credence",
    says: "per_page is 25 unless said, and brought into 1 to 100.",
    why: "Clients rely on the default, and nobody can ask for everything at once.",
    check: async (kit) => {
      const total = totalOf(kit.sample.list);
      for (const [query, size] of [
        ["", 25],
        ["per_page=1", 1],
        ["per_page=10", 10],
        ["per_page=0", 1],
        ["per_page=1000", 100],
        ["per_page=x", 25],
      ] as const) {
        const length = idsOf(await ask(kit, query)).length;
        const expected = Math.min(size, total);
        if (length !== expected) throw new Mismatch(`${query || "no per_page"}: ${length} people`, String(expected));
      }
      return "1, 10, 25 and 100";
    },
  },
  {
    id: "last-page",
    level: "credence",
    says: "last_page is total divided by the page size, rounded up, and at least 1.",
    why: "Clients stop when current_page equals last_page.",
    check: async (kit) => {
      const answers: [Answer, number][] = [
        [kit.sample.list, 25],
        [await ask(kit, "per_page=1"), 1],
        [await ask(kit, `keyword=${NONSENSE}`), 25],
      ];
      for (const [answer, size] of answers) {
        const expected = Math.max(1, Math.ceil(totalOf(answer) / size));
        const { last_page, total } = pagination(answer);
        if (last_page !== expected)
          throw new Mismatch(`last_page ${last_page} for a total of ${total}`, String(expected));
      }
      return "three lists";
    },
  },
  {
    id: "keyword-folds",
    level: "credence",
    says: "keyword ignores case, and blanks around it.",
    why: "People type names as they please.",
    check: async (kit) => {
      const { name } = someoneNamed(kit);
      const plain = totalOf(await ask(kit, `keyword=${encodeURIComponent(name)}`));
      for (const spelling of [name.toUpperCase(), name.toLowerCase(), `  ${name} `]) {
        const total = totalOf(await ask(kit, `keyword=${encodeURIComponent(spelling)}`));
        if (total !== plain) throw new Mismatch(`${brief(spelling)}: ${total}`, `${plain}, as for ${brief(name)}`);
      }
      return `${plain} for every spelling of ${brief(name)}`;
    },
  },
  {
    id: "keyword-blank",
    level: "credence",
    says: "A blank keyword means everyone.",
    why: "Search boxes send it when they are empty.",
    check: async (kit) => {
      const total = totalOf(await ask(kit, "keyword=%20%20"));
      if (total !== totalOf(kit.sample.list)) throw new Mismatch(String(total), String(totalOf(kit.sample.list)));
      return String(total);
    },
  },
  {
    id: "keyword-plain",
    level: "credence",
    says: "%, _ and \\ in a keyword are ordinary characters.",
    why: "As wildcards they would match everybody.",
    check: async (kit) => {
      for (const sign of ["%", "_", "\\"]) {
        const found = itemsOf(await ask(kit, `keyword=${encodeURIComponent(sign)}`), "passports");
        expectEach(
          found,
          (passport) => nameOf(passport).includes(sign),
          (passport) => `${sign} finds ${brief(nameOf(passport))}`,
          `names with ${sign}`,
        );
      }
      return "%, _ and \\";
    },
  },
  {
    id: "keyword-long",
    level: "credence",
    says: "A keyword of more than 100 characters matches nobody.",
    why: "No name is that long, and no search should cost that much.",
    check: async (kit) => {
      const answer = await ask(kit, `keyword=${"x".repeat(101)}`);
      expectList(answer, "101 characters");
      if (totalOf(answer) !== 0) throw new Mismatch(`total ${totalOf(answer)}`, "0");
      return "nobody";
    },
  },
  {
    id: "keyword-hostile",
    level: "credence",
    says: "Bytes that are no text never make a keyword fail.",
    why: "A 5xx on demand is an attacker's lever.",
    check: async (kit) => {
      const bytes = ["%00", "a%00b", "%ff%fe", "%ed%a0%80", "%zz"];
      for (const keyword of bytes) expectList(await ask(kit, `keyword=${keyword}`), `keyword=${keyword}`);
      return bytes.join(", ");
    },
  },
];
