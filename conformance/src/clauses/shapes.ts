import type { Answer } from "../asker.ts";
import { brief, type Clause, expectEach, type Kit, Mismatch, NotSeen } from "../clause.ts";
import { isObject, itemsOf, LIST, objectOf, parse } from "../sample.ts";
import { extraFields, inOrder, type Json, missingFields, SHAPES, type Shape, wrongNull, wrongType } from "../shape.ts";

const contentType = (answer: Answer) => answer.headers["content-type"] ?? "no content type";

function expectJson(answers: readonly Answer[], what: string): string {
  if (answers.length === 0) throw new NotSeen("nobody is listed");
  expectEach(
    answers,
    ({ status }) => status === 200,
    ({ status, body }) => `${status} ${brief(body)}`,
    "200",
  );
  expectEach(answers, (answer) => /^application\/json\b/.test(contentType(answer)), contentType, "application/json");
  return `200 application/json for ${what}`;
}

const singles = ({ sample }: Kit) => sample.people.map(({ single }) => single);
const credentialAnswers = ({ sample }: Kit) => sample.people.map(({ credentials }) => credentials);

const details = (kit: Kit) => singles(kit).map((answer) => objectOf(answer, "passport"));

/** Where the objects of each kind are to be found. */
const FOUND: Record<string, (kit: Kit) => Json[]> = {
  passport: ({ sample }) => sample.listed,
  detail: details,
  profile: (kit) =>
    [...kit.sample.listed, ...details(kit)].map((passport) => passport.passport_profile).filter(isObject),
  social: (kit) =>
    details(kit).flatMap(({ passport_socials }) =>
      Array.isArray(passport_socials) ? passport_socials.filter(isObject) : [],
    ),
  credential: (kit) => credentialAnswers(kit).flatMap((answer) => itemsOf(answer, "passport_credentials")),
  pagination: ({ sample }) => [objectOf(sample.list, "pagination")],
  list: ({ sample }) => [parse(sample.list) ?? {}],
  single: (kit) => singles(kit).map((answer) => parse(answer) ?? {}),
  credentials: (kit) => credentialAnswers(kit).map((answer) => parse(answer) ?? {}),
};

type Kind = keyof typeof SHAPES;

function found(kit: Kit, kind: Kind): Json[] {
  const objects = FOUND[kind]?.(kit) ?? [];
  if (objects.length === 0) throw new NotSeen(`the sample holds nothing of the kind`);
  return objects;
}

/** A check that every object of a kind passes a test, which tells what is wrong. */
function each(kind: Kind, test: (value: Json, shape: Shape) => string | null, expected: string) {
  return async (kit: Kit): Promise<string> => {
    const objects = found(kit, kind);
    for (const object of objects) {
      const wrong = test(object, SHAPES[kind]);
      if (wrong !== null) throw new Mismatch(wrong, expected);
    }
    return `${objects.length} ${objects.length === 1 ? "object" : "objects"}`;
  };
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const fieldsOf = (kind: Kind, what: string): Clause => ({
  id: `${kind}-fields`,
  level: "spec",
  says: `${capital(what)} has all specified fields.`,
  why: "Clients read them by name.",
  check: each(kind, missingFields, Object.keys(SHAPES[kind]).join(", ")),
});

const typesOf = (kind: Kind, what: string): Clause => ({
  id: `${kind}-types`,
  level: "spec",
  says: `The fields of ${what} have the specified types.`,
  why: "A number where a string was, or the reverse, breaks typed clients without a word.",
  check: each(kind, wrongType, "the specified types"),
});

const WHAT: Record<string, string> = {
  passport: "a passport in the list",
  detail: "a single passport",
  profile: "a profile",
  social: "a social profile",
  credential: "a credential",
  pagination: "the pagination",
};

const kinds = Object.keys(WHAT) as Kind[];
const bodies: [Kind, string][] = [
  ["list", "the list's answer"],
  ["single", "the single passport's answer"],
  ["credentials", "the credentials' answer"],
];

export const SHAPE_CLAUSES: Clause[] = [
  {
    id: "list-answers",
    level: "spec",
    says: `GET ${LIST} answers 200 with application/json.`,
    why: "Without it there is nothing to read.",
    check: async ({ sample }) => expectJson([sample.list], "the list"),
  },
  {
    id: "passport-answers",
    level: "spec",
    says: "GET …/passports/{id} answers 200 with application/json for a listed passport_id.",
    why: "Looking one person up is what most clients do.",
    check: async (kit) => expectJson(singles(kit), `${kit.sample.people.length} people`),
  },
  {
    id: "credentials-answers",
    level: "spec",
    says: "GET …/passport_credentials?passport_id= answers 200 with application/json for a listed passport_id.",
    why: "Without it a score cannot be explained.",
    check: async (kit) => expectJson(credentialAnswers(kit), `${kit.sample.people.length} people`),
  },
  ...bodies.map(
    ([kind, what]): Clause => ({
      id: `${kind}-body`,
      level: "spec",
      says: `${capital(what)} is an object with ${Object.keys(SHAPES[kind]).join(" and ")}.`,
      why: "Clients unwrap it by these keys.",
      check: each(
        kind,
        (value, shape) => missingFields(value, shape) ?? wrongType(value, shape) ?? wrongNull(value, shape),
        Object.keys(SHAPES[kind]).join(", "),
      ),
    }),
  ),
  {
    id: "single-alone",
    level: "spec",
    says: "The single passport's answer has one key, passport.",
    why: "The specification says so, and typed clients refuse others.",
    check: each("single", extraFields, "passport alone"),
  },
  {
    id: "list-without-detail",
    level: "spec",
    says: "A passport in the list has neither merged nor passport_socials.",
    why: "They belong to the single passport alone.",
    check: each(
      "passport",
      (value) => ["merged", "passport_socials"].find((name) => name in value) ?? null,
      "neither merged nor passport_socials",
    ),
  },
  ...kinds.map((kind) => fieldsOf(kind, WHAT[kind] ?? kind)),
  ...kinds.map((kind) => typesOf(kind, WHAT[kind] ?? kind)),
  {
    id: "no-extra-fields",
    level: "credence",
    says: "No object has a field beyond the specified ones.",
    why: "V1 is frozen: whatever is added will be relied on.",
    check: async (kit) => {
      for (const kind of [...kinds, "list", "single", "credentials"] as Kind[]) {
        for (const value of FOUND[kind]?.(kit) ?? []) {
          const extra = extraFields(value, SHAPES[kind]);
          if (extra !== null) throw new Mismatch(`${kind}: ${extra}`, "the specified fields alone");
        }
      }
      return "every object in the sample";
    },
  },
  {
    id: "field-order",
    level: "credence",
    says: "Fields stand in the specification's order.",
    why: "The same data give the same bytes, so answers can be compared and cached.",
    check: async (kit) => {
      for (const kind of [...kinds, "list"] as Kind[]) {
        const wrong = FOUND[kind]?.(kit).find((value) => !inOrder(value, SHAPES[kind]));
        if (wrong !== undefined)
          throw new Mismatch(brief(Object.keys(wrong).join(", ")), brief(Object.keys(SHAPES[kind]).join(", ")));
      }
      return "every object in the sample";
    },
  },
  {
    id: "never-null",
    level: "credence",
    says: "Component scores, flags, counts, ids, arrays and a credential's id, category, name, type and scores are never null.",
    why: "Published clients use them without looking.",
    check: async (kit) => {
      for (const kind of [...kinds, "list", "single", "credentials"] as Kind[]) {
        for (const value of FOUND[kind]?.(kit) ?? []) {
          const wrong = wrongNull(value, SHAPES[kind]);
          if (wrong !== null) throw new Mismatch(`${kind}: ${wrong}`, "a value");
        }
      }
      return "every object in the sample";
    },
  },
  {
    id: "plain-numbers",
    level: "credence",
    says: "Scores are printed without exponent, from 0 to 10^15.",
    why: "Some parsers read no exponents, and byte-stable answers need one spelling of a number.",
    check: async (kit) => {
      const answers = [kit.sample.list, ...singles(kit), ...credentialAnswers(kit)];
      const numbers = answers.flatMap(({ body }) =>
        [...body.matchAll(/_?score":(-?[0-9][^,}]*)/g)].map(([, number]) => number ?? ""),
      );
      if (numbers.length === 0) throw new NotSeen("the sample holds no score");
      expectEach(
        numbers,
        (number) => /^\d+(\.\d+)?$/.test(number) && Number(number) <= 1e15,
        (number) => number,
        "a plain decimal from 0 to 10^15",
      );
      return `${numbers.length} scores`;
    },
  },
  {
    id: "moments",
    level: "credence",
    says: "last_calculated_at is RFC 3339 in UTC with milliseconds and Z.",
    why: "One spelling of a moment, which every language parses.",
    check: async (kit) => {
      const moments = (["passport", "detail", "credential"] as const)
        .flatMap((kind) => FOUND[kind]?.(kit) ?? [])
        .map(({ last_calculated_at }) => last_calculated_at)
        .filter((moment) => moment !== null && moment !== undefined);
      if (moments.length === 0) throw new NotSeen("the sample holds no moment");
      expectEach(
        moments,
        (moment) => /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/.test(String(moment)),
        brief,
        "2024-07-29T15:51:28.071Z",
      );
      return `${moments.length} moments`;
    },
  },
  {
    id: "wallets-lower-case",
    level: "credence",
    says: "EVM wallets are sent in lower case.",
    why: "Clients compare them as texts, after lower-casing their own.",
    check: async (kit) => {
      const passports = [...kit.sample.listed, ...details(kit)];
      const wallets = passports
        .flatMap(({ main_wallet, verified_wallets }) => [
          main_wallet,
          ...(Array.isArray(verified_wallets) ? verified_wallets : []),
        ])
        .filter((wallet) => /^0x[0-9a-f]{40}$/i.test(String(wallet)));
      if (wallets.length === 0) throw new NotSeen("the sample holds no EVM wallet");
      expectEach(wallets, (wallet) => wallet === String(wallet).toLowerCase(), brief, "lower case");
      return `${wallets.length} wallets`;
    },
  },
];
