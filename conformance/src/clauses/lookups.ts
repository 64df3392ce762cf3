import { brief, type Clause, expectEach, type Kit, Mismatch, NotSeen } from "../clause.ts";
import { CREDENTIALS, itemsOf, LIST, NOBODY, NOBODYS_WALLET, objectOf, parse, type SamplePerson } from "../sample.ts";
import type { Json } from "../shape.ts";

const EVM = /^0x[0-9a-f]{40}$/i;
const NOT_FOUND = { error: "Resource not found.", code: "not_found" };

function someone({ sample }: Kit): SamplePerson {
  const person = sample.people[0];
  if (person === undefined) throw new NotSeen("nobody is listed");
  return person;
}

function someoneWithEvmWallet({ sample }: Kit): SamplePerson & { wallet: string } {
  const person = sample.people.find(({ wallet }) => EVM.test(wallet ?? ""));
  if (person?.wallet == null) throw new NotSeen("nobody in the sample has an EVM wallet");
  return { ...person, wallet: person.wallet };
}

const walletsOf = ({ main_wallet, verified_wallets }: Json): string[] =>
  [main_wallet, ...(Array.isArray(verified_wallets) ? verified_wallets : [])].map(String);

const holds = (passport: Json, wallet: string): boolean =>
  walletsOf(passport).some((held) => held.toLowerCase() === wallet.toLowerCase());

/** The passport in an answer; null when it holds none, whatever its status. */
async function passportAt({ asker }: Kit, id: string): Promise<Json | null> {
  const passport = objectOf(await asker.ask(`${LIST}/${id}`), "passport");
  return "passport_id" in passport ? passport : null;
}

async function expectMissing({ asker }: Kit, ids: readonly string[]): Promise<string> {
  for (const id of ids) {
    const answer = await asker.ask(`${LIST}/${id}`);
    if (answer.status !== 404) throw new Mismatch(`${brief(id)}: ${answer.status} ${brief(answer.body)}`, "404");
  }
  return brief(ids.join(", "));
}

const credentialsAt = async ({ asker }: Kit, query: string): Promise<Json[]> => {
  const answer = await asker.ask(CREDENTIALS + query);
  if (answer.status !== 200) throw new Mismatch(`${query || "no passport_id"}: ${answer.status}`, "200");
  return itemsOf(answer, "passport_credentials");
};

export const LOOKUP_CLAUSES: Clause[] = [
  {
    id: "passport-identity",
    level: "spec",
    says: "The passport that is answered is the one that was asked for.",
    why: "Anything else credits one person with another's reputation.",
    check: async ({ sample }) => {
      if (sample.people.length === 0) throw new NotSeen("nobody is listed");
      expectEach(
        sample.people,
        ({ id, single }) => single.status !== 200 || objectOf(single, "passport").passport_id === id,
        ({ id, single }) => `asked for ${id}, got ${objectOf(single, "passport").passport_id}`,
        "the same passport_id",
      );
      return `${sample.people.length} people`;
    },
  },
  {
    id: "passport-by-wallet",
    level: "spec",
    says: "A passport is found by wallet address.",
    why: "Most clients know a wallet and nothing else.",
    check: async (kit) => {
      const { wallet } = someoneWithEvmWallet(kit);
      const answer = await kit.asker.ask(`${LIST}/${wallet}`);
      const passport = objectOf(answer, "passport");
      if (!holds(passport, wallet)) {
        throw new Mismatch(
          `${answer.status}, passport ${passport.passport_id} without that wallet`,
          "a passport that holds the wallet",
        );
      }
      return `${wallet} leads to passport ${passport.passport_id}`;
    },
  },
  {
    id: "nobody-is-nobody",
    level: "spec",
    says: "An id that nobody has is not answered with somebody's passport.",
    why: "A client that asks for a stranger must not be shown another person.",
    check: async (kit) => {
      const [byId, byWallet] = [await passportAt(kit, NOBODY), await passportAt(kit, NOBODYS_WALLET)];
      if (byId !== null && byId.passport_id !== Number(NOBODY)) {
        throw new Mismatch(`${NOBODY}: passport ${byId.passport_id}`, "anything but another person's passport");
      }
      if (byWallet !== null && !holds(byWallet, NOBODYS_WALLET)) {
        throw new Mismatch(
          `${NOBODYS_WALLET}: passport ${byWallet.passport_id}`,
          "anything but another person's passport",
        );
      }
      return "an id and a wallet";
    },
  },
  {
    id: "credentials-belong",
    level: "spec",
    says: "The credentials are those of the passport that was asked for.",
    why: "Everybody with the same credentials means that the parameter is not looked at.",
    check: async ({ sample }) => {
      const lists = sample.people
        .map(({ credentials }) => credentials)
        .filter((answer) => itemsOf(answer, "passport_credentials").length > 0);
      if (lists.length < 2) throw new NotSeen("fewer than two people in the sample have credentials");
      if (new Set(lists.map(({ body }) => body)).size === 1)
        throw new Mismatch(`${lists.length} people with the very same credentials`, "each their own");
      return `${lists.length} people`;
    },
  },
  {
    id: "verified-wallet",
    level: "credence",
    says: "A passport is found by every wallet it lists as verified.",
    why: "People connect with whichever wallet is at hand.",
    check: async (kit) => {
      const wallets = kit.sample.people
        .map(({ single, wallet }) =>
          walletsOf(objectOf(single, "passport")).find((held) => EVM.test(held) && held !== wallet),
        )
        .filter((wallet) => wallet !== undefined);
      const [wallet] = wallets;
      if (wallet === undefined) throw new NotSeen("nobody in the sample lists a second wallet");
      const passport = await passportAt(kit, wallet);
      if (passport === null || !holds(passport, wallet))
        throw new Mismatch(`${wallet}: nobody who holds it`, "a passport that holds the wallet");
      return `${wallet} leads to passport ${passport.passport_id}`;
    },
  },
  {
    id: "missing-is-404",
    level: "credence",
    says: `Nobody is 404 with ${JSON.stringify(NOT_FOUND)}.`,
    why: 'A published client compares the sentence word for word; "no passport" is a normal case.',
    check: async (kit) => {
      for (const id of [NOBODY, NOBODYS_WALLET]) {
        const answer = await kit.asker.ask(`${LIST}/${id}`);
        if (answer.status !== 404 || JSON.stringify(parse(answer)) !== JSON.stringify(NOT_FOUND)) {
          throw new Mismatch(`${answer.status} ${brief(answer.body)}`, `404 ${JSON.stringify(NOT_FOUND)}`);
        }
      }
      return "an id and a wallet";
    },
  },
  {
    id: "id-not-coerced",
    level: "credence",
    says: "Text that is no id does not become one: 1e3, +1, 1.0 and the like are 404.",
    why: "Frameworks turn such texts into other people's numbers.",
    check: (kit) => {
      const { id } = someone(kit);
      const hex = `0x${id.toString(16)}`;
      const odd = [
        `${id}e0`,
        `+${id}`,
        `-${id}`,
        `${id}.0`,
        hex,
        `%20${id}`,
        `${id}%20`,
        `${id}%00`,
        "%EF%BC%91",
        "9007199254740993",
      ];
      return expectMissing(kit, odd);
    },
  },
  {
    id: "id-odd",
    level: "credence",
    says: "Malformed, hostile and badly encoded ids are the same 404.",
    why: "Nothing is given away, and nothing breaks.",
    check: (kit) =>
      expectMissing(kit, ["0", "abc", "null", "__proto__", "%zz", "%ff", "..%2f1", "'%20or%201=1", "x".repeat(2000)]),
  },
  {
    id: "id-leading-zeros",
    level: "credence",
    says: "Leading zeros of an id do not count.",
    why: "A caller that pads numbers keeps working.",
    check: async (kit) => {
      const { id } = someone(kit);
      const answer = await kit.asker.ask(`${LIST}/00${id}`);
      const { passport_id } = objectOf(answer, "passport");
      if (passport_id !== id)
        throw new Mismatch(`00${id}: ${answer.status}, passport ${passport_id}`, `passport ${id}`);
      return `00${id} is ${id}`;
    },
  },
  {
    id: "wallet-any-case",
    level: "credence",
    says: "An EVM wallet is found in any case, whatever its checksum.",
    why: "Callers lower-case, upper-case and checksum as they like.",
    check: async (kit) => {
      const { wallet } = someoneWithEvmWallet(kit);
      const lower = await kit.asker.ask(`${LIST}/${wallet.toLowerCase()}`);
      const upper = await kit.asker.ask(`${LIST}/0x${wallet.slice(2).toUpperCase()}`);
      if (lower.status !== 200 || upper.body !== lower.body)
        throw new Mismatch(`${upper.status} for upper, ${lower.status} for lower case`, "the same answer");
      return "upper and lower case";
    },
  },
  {
    id: "credentials-filter",
    level: "credence",
    says: "Credentials without passport_id, or with one that leads nowhere, are an empty list.",
    why: "Clients call it so, and must never be shown everyone's.",
    check: async (kit) => {
      for (const query of ["", "?passport_id=", `?passport_id=${NOBODY}`, "?passport_id=abc", "?passport_id=%zz"]) {
        const items = await credentialsAt(kit, query);
        if (items.length > 0) throw new Mismatch(`${query || "no passport_id"}: ${items.length} credentials`, "none");
      }
      return "five ways to ask for nobody";
    },
  },
  {
    id: "credentials-order",
    level: "credence",
    says: "Credentials come by category, then descending score, then id.",
    why: "The same data give the same bytes.",
    check: async ({ sample }) => {
      let seen = 0;
      for (const { id, credentials } of sample.people) {
        const items = itemsOf(credentials, "passport_credentials");
        seen += items.length;
        const wrong = items.find((item, at) => at > 0 && compareCredentials(items[at - 1] ?? item, item) > 0);
        if (wrong !== undefined)
          throw new Mismatch(`passport ${id}: ${wrong.id} out of place`, "category, descending score, id");
      }
      if (seen === 0) throw new NotSeen("the sample holds no credential");
      return `${seen} credentials`;
    },
  },
  {
    id: "credentials-by-wallet",
    level: "credence",
    says: "passport_id takes a wallet too, with the same answer.",
    why: "Clients that know a wallet need not look the id up first.",
    check: async (kit) => {
      const { wallet } = someoneWithEvmWallet(kit);
      const { passport_id } = objectOf(await kit.asker.ask(`${LIST}/${wallet}`), "passport");
      const byId = await kit.asker.ask(`${CREDENTIALS}?passport_id=${passport_id}`);
      const byWallet = await kit.asker.ask(`${CREDENTIALS}?passport_id=${wallet}`);
      if (byWallet.body !== byId.body) throw new Mismatch(brief(byWallet.body), "the same as by passport_id");
      return `${wallet}`;
    },
  },
];

function compareCredentials(one: Json, other: Json): number {
  const compare = (a: unknown, b: unknown) => (a === b ? 0 : String(a) < String(b) ? -1 : 1);
  return compare(one.category, other.category) || Number(other.score) - Number(one.score) || compare(one.id, other.id);
}
