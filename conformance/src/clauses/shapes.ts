import { brief, type Clause, type Context, expectEach, Mismatch, Skipped } from "../clause.ts";
import type { HttpResponse } from "../client.ts";
import { isObject, itemsOf, LIST, objectOf, objectsIn, parse, walletsOf } from "../sample.ts";
import {
  extraFields,
  type Json,
  missingFields,
  SHAPES,
  type Shape,
  wrongNull,
  wrongOrder,
  wrongType,
} from "../shape.ts";

type Kind = keyof typeof SHAPES;
/** Returns a description of what is wrong, or null. */
type Test = (object: Json, shape: Shape) => string | null;

const contentType = ({ headers }: HttpResponse) => headers["content-type"] ?? "no content type";

function expectJson(responses: readonly HttpResponse[]): string {
  if (responses.length === 0) throw new Skipped("the list is empty");
  expectEach(
    responses,
    ({ status }) => status === 200,
    ({ status, body }) => `${status} ${brief(body)}`,
    "200",
  );
  expectEach(
    responses,
    (response) => /^application\/json\b/.test(contentType(response)),
    contentType,
    "application/json",
  );
  return `${responses.length} responses, 200 with application/json`;
}

const singles = ({ sample }: Context) => sample.people.map(({ single }) => single);
const credentialLists = ({ sample }: Context) => sample.people.map(({ credentials }) => credentials);
const details = (context: Context) => singles(context).map((response) => objectOf(response, "passport"));
const passports = (context: Context) => [...context.sample.listed, ...details(context)];

/** The objects of each kind in the sample. */
const OBJECTS: Record<Kind, (context: Context) => Json[]> = {
  passport: ({ sample }) => sample.listed,
  detail: details,
  profile: (context) =>
    passports(context)
      .map(({ passport_profile }) => passport_profile)
      .filter(isObject),
  social: (context) => details(context).flatMap(({ passport_socials }) => objectsIn(passport_socials)),
  credential: (context) => credentialLists(context).flatMap((response) => itemsOf(response, "passport_credentials")),
  pagination: ({ sample }) => [objectOf(sample.list, "pagination")],
  list: ({ sample }) => [parse(sample.list) ?? {}],
  single: (context) => singles(context).map((response) => parse(response) ?? {}),
  credentials: (context) => credentialLists(context).map((response) => parse(response) ?? {}),
};

/** A check that all objects of a kind pass a test. */
const checkKind =
  (kind: Kind, test: Test, expected: string) =>
  async (context: Context): Promise<string> => {
    const objects = OBJECTS[kind](context);
    if (objects.length === 0) throw new Skipped("the sample has no such object");
    for (const object of objects) {
      const wrong = test(object, SHAPES[kind]);
      if (wrong !== null) throw new Mismatch(wrong, expected);
    }
    return `${objects.length} ${objects.length === 1 ? "object" : "objects"}`;
  };

/** A check that all objects of several kinds pass a test. */
const checkKinds =
  (kinds: readonly Kind[], test: Test, expected: string) =>
  async (context: Context): Promise<string> => {
    for (const kind of kinds) {
      for (const object of OBJECTS[kind](context)) {
        const wrong = test(object, SHAPES[kind]);
        if (wrong !== null) throw new Mismatch(`${kind}: ${brief(wrong)}`, expected);
      }
    }
    return "every object in the sample";
  };

const ENTITIES: [Kind, string][] = [
  ["passport", "a passport in the list"],
  ["detail", "a single passport"],
  ["profile", "a profile"],
  ["social", "a social profile"],
  ["credential", "a credential"],
  ["pagination", "the pagination"],
];
const BODIES: [Kind, string][] = [
  ["list", "list"],
  ["single", "single passport"],
  ["credentials", "credentials"],
];
const ENTITY_KINDS = ENTITIES.map(([kind]) => kind);
const ALL_KINDS = [...ENTITIES, ...BODIES].map(([kind]) => kind);

const fieldsOf = (kind: Kind): string => Object.keys(SHAPES[kind]).join(", ");

export const SHAPE_CLAUSES: Clause[] = [
  {
    id: "list-response",
    level: "spec",
    rule: `GET ${LIST} returns 200 with application/json.`,
    why: "All clients depend on it.",
    check: async ({ sample }) => expectJson([sample.list]),
  },
  {
    id: "passport-response",
    level: "spec",
    rule: "GET …/passports/{id} returns 200 with application/json for a listed passport_id.",
    why: "Most clients request single passports.",
    check: async (context) => expectJson(singles(context)),
  },
  {
    id: "credentials-response",
    level: "spec",
    rule: "GET …/passport_credentials?passport_id= returns 200 with application/json for a listed passport_id.",
    why: "Clients explain a score by its credentials.",
    check: async (context) => expectJson(credentialLists(context)),
  },
  ...BODIES.map(
    ([kind, name]): Clause => ({
      id: `${kind}-body`,
      level: "spec",
      rule: `The body of the ${name} response is an object with ${fieldsOf(kind)}.`,
      why: "Clients read the body by these keys.",
      check: checkKind(
        kind,
        (object, shape) => missingFields(object, shape) ?? wrongType(object, shape) ?? wrongNull(object, shape),
        fieldsOf(kind),
      ),
    }),
  ),
  {
    id: "single-only-passport",
    level: "spec",
    rule: "The body of the single passport response has no key other than passport.",
    why: "The specification defines no other key, and typed clients reject other keys.",
    check: checkKind("single", extraFields, "only passport"),
  },
  {
    id: "list-without-detail",
    level: "spec",
    rule: "A passport in the list has neither merged nor passport_socials.",
    why: "The specification defines them for the single passport only.",
    check: checkKind(
      "passport",
      (object) => ["merged", "passport_socials"].find((name) => name in object) ?? null,
      "neither merged nor passport_socials",
    ),
  },
  ...ENTITIES.map(
    ([kind, name]): Clause => ({
      id: `${kind}-fields`,
      level: "spec",
      rule: `All specified fields of ${name} are present.`,
      why: "Clients read them by name.",
      check: checkKind(kind, missingFields, fieldsOf(kind)),
    }),
  ),
  ...ENTITIES.map(
    ([kind, name]): Clause => ({
      id: `${kind}-types`,
      level: "spec",
      rule: `The fields of ${name} have the specified types.`,
      why: "A wrong type breaks typed clients.",
      check: checkKind(kind, wrongType, "the specified types"),
    }),
  ),
  {
    id: "no-extra-fields",
    level: "credence",
    rule: "No object has fields that are not specified.",
    why: "V1 is frozen, and clients would come to depend on new fields.",
    check: checkKinds(ALL_KINDS, extraFields, "only the specified fields"),
  },
  {
    id: "field-order",
    level: "credence",
    rule: "Fields are in the order of the specification.",
    why: "The same data gives the same bytes, so responses can be compared and cached.",
    check: checkKinds([...ENTITY_KINDS, "list"], wrongOrder, "the order of the specification"),
  },
  {
    id: "never-null",
    level: "credence",
    rule: "Component scores, flags, counts, ids, arrays and a credential's id, category, name, type and scores are never null.",
    why: "Published clients do not check them for null.",
    check: checkKinds(ALL_KINDS, wrongNull, "a value"),
  },
  {
    id: "plain-numbers",
    level: "credence",
    rule: "Scores are printed without an exponent, from 0 to 10^15.",
    why: "Some parsers do not read exponents, and byte-stable responses need one format.",
    check: async (context) => {
      const responses = [context.sample.list, ...singles(context), ...credentialLists(context)];
      const numbers = responses.flatMap(({ body }) =>
        [...body.matchAll(/_?score":(-?[0-9][^,}]*)/g)].map(([, number]) => number ?? ""),
      );
      if (numbers.length === 0) throw new Skipped("the sample has no scores");
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
    id: "timestamps",
    level: "credence",
    rule: "last_calculated_at is RFC 3339 in UTC with milliseconds and Z.",
    why: "Clients have to parse only one format.",
    check: async (context) => {
      const timestamps = [...passports(context), ...OBJECTS.credential(context)]
        .map(({ last_calculated_at }) => last_calculated_at ?? null)
        .filter((timestamp) => timestamp !== null);
      if (timestamps.length === 0) throw new Skipped("the sample has no timestamps");
      expectEach(
        timestamps,
        (timestamp) => /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/.test(String(timestamp)),
        brief,
        "2024-07-29T15:51:28.071Z",
      );
      return `${timestamps.length} timestamps`;
    },
  },
  {
    id: "wallets-lower-case",
    level: "credence",
    rule: "EVM wallets are in lower case.",
    why: "Clients compare them as text with lower-case addresses.",
    check: async (context) => {
      const wallets = passports(context)
        .flatMap(walletsOf)
        .filter((wallet) => /^0x[0-9a-f]{40}$/i.test(wallet));
      if (wallets.length === 0) throw new Skipped("the sample has no EVM wallet");
      expectEach(wallets, (wallet) => wallet === wallet.toLowerCase(), brief, "lower case");
      return `${wallets.length} wallets`;
    },
  },
];
