import { brief, type Clause, type Context, expectEach, expectStatus, Mismatch, Skipped } from "../clause.ts";
import {
  CREDENTIALS,
  itemsOf,
  LIST,
  objectOf,
  parse,
  type SamplePerson,
  UNKNOWN_ID,
  UNKNOWN_WALLET,
  walletsOf,
} from "../sample.ts";
import type { Json } from "../shape.ts";

const EVM = /^0x[0-9a-f]{40}$/i;
const NOT_FOUND = JSON.stringify({ error: "Resource not found.", code: "not_found" });

function firstPerson({ sample }: Context): SamplePerson {
  const [person] = sample.people;
  if (person === undefined) throw new Skipped("the list is empty");
  return person;
}

function findEvmWallet({ sample }: Context): string {
  const wallet = sample.people.map((person) => person.wallet ?? "").find((address) => EVM.test(address));
  if (wallet === undefined) throw new Skipped("the sample has no EVM wallet");
  return wallet;
}

const hasWallet = (passport: Json, wallet: string): boolean =>
  walletsOf(passport).some((address) => address.toLowerCase() === wallet.toLowerCase());

/** The passport in the response, whatever its status; null if there is none. */
async function findPassport({ client }: Context, id: string): Promise<Json | null> {
  const passport = objectOf(await client.request(`${LIST}/${id}`), "passport");
  return "passport_id" in passport ? passport : null;
}

/** Checks that the wallet finds a passport with that wallet. */
async function checkWallet(context: Context, wallet: string): Promise<string> {
  const passport = await findPassport(context, wallet);
  if (passport === null || !hasWallet(passport, wallet))
    throw new Mismatch(`${wallet} finds ${passport?.passport_id ?? "no passport"}`, "a passport with the wallet");
  return `${wallet} finds passport ${passport.passport_id}`;
}

async function expectMissing({ client }: Context, ids: readonly string[]): Promise<string> {
  for (const id of ids) expectStatus(await client.request(`${LIST}/${id}`), 404, brief(id));
  return brief(ids.join(", "));
}

export const LOOKUP_CLAUSES: Clause[] = [
  {
    id: "passport-identity",
    level: "spec",
    rule: "The response contains the requested passport.",
    why: "Otherwise a person is shown with the reputation of another person.",
    check: async ({ sample }) => {
      if (sample.people.length === 0) throw new Skipped("the list is empty");
      expectEach(
        sample.people,
        ({ id, single }) => single.status !== 200 || objectOf(single, "passport").passport_id === id,
        ({ id, single }) => `${id} returns passport ${objectOf(single, "passport").passport_id}`,
        "the same passport_id",
      );
      return `${sample.people.length} people`;
    },
  },
  {
    id: "passport-by-wallet",
    level: "spec",
    rule: "A passport is found by wallet address.",
    why: "Most clients only know the wallet.",
    check: (context) => checkWallet(context, findEvmWallet(context)),
  },
  {
    id: "unknown-finds-none",
    level: "spec",
    rule: "An unknown id or wallet does not return the passport of another person.",
    why: "Otherwise a client shows the wrong person.",
    check: async (context) => {
      const expected = "anything but the passport of another person";
      const byId = await findPassport(context, UNKNOWN_ID);
      if (byId !== null && byId.passport_id !== Number(UNKNOWN_ID))
        throw new Mismatch(`${UNKNOWN_ID}: passport ${byId.passport_id}`, expected);
      const byWallet = await findPassport(context, UNKNOWN_WALLET);
      if (byWallet !== null && !hasWallet(byWallet, UNKNOWN_WALLET))
        throw new Mismatch(`${UNKNOWN_WALLET}: passport ${byWallet.passport_id}`, expected);
      return "an id and a wallet";
    },
  },
  {
    id: "credentials-belong",
    level: "spec",
    rule: "The response contains the credentials of the requested passport.",
    why: "If all people have the same credentials, the server ignores the parameter.",
    check: async ({ sample }) => {
      const lists = sample.people
        .map(({ credentials }) => credentials)
        .filter((response) => itemsOf(response, "passport_credentials").length > 0);
      if (lists.length < 2) throw new Skipped("fewer than two people in the sample have credentials");
      if (new Set(lists.map(({ body }) => body)).size === 1)
        throw new Mismatch(`${lists.length} people with the same credentials`, "different credentials");
      return `${lists.length} people`;
    },
  },
  {
    id: "verified-wallet",
    level: "credence",
    rule: "A passport is found by each of its verified wallets.",
    why: "People connect with any of their wallets.",
    check: async (context) => {
      const wallet = context.sample.people
        .flatMap((person) =>
          walletsOf(objectOf(person.single, "passport")).filter((address) => address !== person.wallet),
        )
        .find((address) => EVM.test(address));
      if (wallet === undefined) throw new Skipped("the sample has no person with a second wallet");
      return checkWallet(context, wallet);
    },
  },
  {
    id: "unknown-is-404",
    level: "credence",
    rule: `An unknown id or wallet is 404 with ${NOT_FOUND}.`,
    why: "A published client compares the sentence word for word.",
    check: async ({ client }) => {
      for (const id of [UNKNOWN_ID, UNKNOWN_WALLET]) {
        const response = await client.request(`${LIST}/${id}`);
        if (response.status !== 404 || JSON.stringify(parse(response)) !== NOT_FOUND)
          throw new Mismatch(`${response.status} ${brief(response.body)}`, `404 ${NOT_FOUND}`);
      }
      return "an id and a wallet";
    },
  },
  {
    id: "id-not-coerced",
    level: "credence",
    rule: "Text that is not an id is not converted to an id: 1e3, +1 and 1.0 are 404.",
    why: "Some frameworks convert such text to the number of another person.",
    check: async (context) => {
      const { id } = firstPerson(context);
      const variants = [`${id}e0`, `+${id}`, `-${id}`, `${id}.0`, `0x${id.toString(16)}`, `%20${id}`, `${id}%20`];
      return expectMissing(context, [...variants, `${id}%00`, "%EF%BC%91", "9007199254740993"]);
    },
  },
  {
    id: "id-malformed",
    level: "credence",
    rule: "Malformed and wrongly encoded ids are 404.",
    why: "They must not cause errors, and the response must not reveal which ids exist.",
    check: (context) => {
      const ids = ["0", "abc", "null", "__proto__", "%zz", "%ff", "..%2f1", "'%20or%201=1", "x".repeat(2000)];
      return expectMissing(context, ids);
    },
  },
  {
    id: "id-leading-zeros",
    level: "credence",
    rule: "Leading zeros of an id are ignored.",
    why: "Clients that pad numbers keep working.",
    check: async (context) => {
      const { id } = firstPerson(context);
      const passport = await findPassport(context, `00${id}`);
      if (passport?.passport_id !== id)
        throw new Mismatch(`00${id} finds ${passport?.passport_id ?? "no passport"}`, `passport ${id}`);
      return `00${id} is ${id}`;
    },
  },
  {
    id: "wallet-any-case",
    level: "credence",
    rule: "An EVM wallet is found in any case, with or without a valid checksum.",
    why: "Clients send lower case, upper case and checksummed addresses.",
    check: async (context) => {
      const wallet = findEvmWallet(context);
      const lower = await context.client.request(`${LIST}/${wallet.toLowerCase()}`);
      const upper = await context.client.request(`${LIST}/0x${wallet.slice(2).toUpperCase()}`);
      if (lower.status !== 200 || upper.body !== lower.body)
        throw new Mismatch(`${upper.status} for upper, ${lower.status} for lower case`, "the same response");
      return "upper and lower case";
    },
  },
  {
    id: "credentials-filter",
    level: "credence",
    rule: "A missing, malformed or unknown passport_id returns an empty list of credentials.",
    why: "Clients send such requests and must not get the credentials of all people.",
    check: async ({ client }) => {
      const queries = ["", "?passport_id=", `?passport_id=${UNKNOWN_ID}`, "?passport_id=abc", "?passport_id=%zz"];
      for (const query of queries) {
        const response = await client.request(CREDENTIALS + query);
        expectStatus(response, 200, query || "no passport_id");
        const { length } = itemsOf(response, "passport_credentials");
        if (length > 0) throw new Mismatch(`${query || "no passport_id"}: ${length} credentials`, "none");
      }
      return `${queries.length} requests`;
    },
  },
  {
    id: "credentials-order",
    level: "credence",
    rule: "The order of credentials is category, then descending score, then id.",
    why: "The same data gives the same bytes.",
    check: async ({ sample }) => {
      let count = 0;
      for (const { id, credentials } of sample.people) {
        const items = itemsOf(credentials, "passport_credentials");
        count += items.length;
        const misplaced = items.find(
          (item, index) => index > 0 && compareCredentials(items[index - 1] ?? item, item) > 0,
        );
        if (misplaced !== undefined)
          throw new Mismatch(`passport ${id}: ${misplaced.id} is misplaced`, "category, descending score, id");
      }
      if (count === 0) throw new Skipped("the sample has no credentials");
      return `${count} credentials`;
    },
  },
  {
    id: "credentials-by-wallet",
    level: "credence",
    rule: "passport_id also accepts a wallet, with the same response.",
    why: "Clients that know a wallet do not have to find the id first.",
    check: async (context) => {
      const wallet = findEvmWallet(context);
      const passport = await findPassport(context, wallet);
      const byId = await context.client.request(`${CREDENTIALS}?passport_id=${passport?.passport_id}`);
      const byWallet = await context.client.request(`${CREDENTIALS}?passport_id=${wallet}`);
      if (byWallet.body !== byId.body) throw new Mismatch(brief(byWallet.body), "the same as by passport_id");
      return wallet;
    },
  },
];

function compareCredentials(a: Json, b: Json): number {
  const compare = (x: unknown, y: unknown) => (x === y ? 0 : String(x) < String(y) ? -1 : 1);
  return compare(a.category, b.category) || Number(b.score) - Number(a.score) || compare(a.id, b.id);
}
