import type { Person } from "@credence/contract/person.ts";
import type { Breakage, ProxyResponse } from "./breaking-proxy.ts";

// biome-ignore lint/suspicious/noExplicitAny: a seed modifies any part of a body.
type Json = Record<string, any>;

/** A change to one response of the new server, and the group in which it must be found. */
export type Seed = {
  path: RegExp;
  change: (response: ProxyResponse) => void;
  expected: ExpectedGroup;
  /** A second difference that the change causes. */
  also?: ExpectedGroup;
};
type ExpectedGroup = readonly [ofClass: "form" | "data", kind: string, endpoint: string, field: string];

const inBody =
  (change: (body: Json) => unknown) =>
  (response: ProxyResponse): void => {
    const body = JSON.parse(response.body);
    change(body);
    response.body = JSON.stringify(body);
  };
const inText =
  (pattern: RegExp, replacement: string) =>
  (response: ProxyResponse): void => {
    response.body = response.body.replace(pattern, replacement);
  };

const single = ({ passport }: Person) => new RegExp(`/passports/${passport.passport_id}$`);
const credentials = ({ passport }: Person) => new RegExp(`passport_id=${passport.passport_id}$`);
const page = (number: number) => new RegExp(`\\?page=${number}$`);

/** Fourteen differences in form, each on another response. `people` are in the order of the list. */
export const formSeeds = (people: readonly Person[]): Seed[] => {
  const at = (index: number) => people[index] as Person;
  return [
    {
      path: single(at(0)),
      change: (response) => (response.status = 404),
      expected: ["form", "status", "single", ""],
    },
    {
      path: single(at(1)),
      change: ({ headers }) => (headers["content-type"] = "text/json"),
      expected: ["form", "header content-type", "single", ""],
    },
    {
      path: single(at(2)),
      change: ({ headers }) => delete headers["access-control-allow-origin"],
      expected: ["form", "header access-control-allow-origin missing", "single", ""],
    },
    {
      path: single(at(3)),
      change: inBody(({ passport }) => delete passport.human_checkmark),
      expected: ["form", "missing field", "single", "passport.human_checkmark"],
    },
    {
      path: single(at(4)),
      change: inBody(({ passport }) => (passport.passport_profile.image_url = "x")),
      expected: ["form", "additional field", "single", "passport.passport_profile.image_url"],
    },
    {
      path: single(at(5)),
      change: inBody((body) => (body.passport = Object.fromEntries(Object.entries(body.passport).reverse()))),
      expected: ["form", "order of fields", "single", "passport"],
    },
    {
      path: single(at(6)),
      change: inText(/"connections_count":(\d+)/, '"connections_count":"$1"'),
      expected: ["form", "type", "single", "passport.connections_count"],
    },
    {
      path: single(at(7)),
      change: inText(/"score":(\d+)(\.\d+)?/, `"score":$1${Number.isInteger(at(7).passport.score) ? ".0" : "$20"}`),
      expected: ["form", "number format", "single", "passport.score"],
    },
    {
      path: single(at(8)),
      change: inText(/("last_calculated_at":"[^"]+)Z"/, '$1+00:00"'),
      expected: ["form", "date-time format", "single", "passport.last_calculated_at"],
    },
    {
      path: single(at(9)),
      change: inText(/("main_wallet":"0x)([^"]+)"/, `$1${at(9).passport.main_wallet?.slice(2).toUpperCase()}"`),
      expected: ["form", "letter case of a wallet", "single", "passport.main_wallet"],
    },
    {
      path: credentials(at(10)),
      change: inBody((body) => body.passport_credentials.reverse()),
      expected: ["form", "order of items", "credentials", "passport_credentials"],
    },
    {
      path: credentials(at(11)),
      change: (response) => (response.body = "<h1>Error</h1>"),
      expected: ["form", "body is JSON on one server only", "credentials", ""],
    },
    {
      path: credentials(at(12)),
      change: inText(/"passport_credentials":\[\{/, '"passport_credentials":[{"id":"x",'),
      expected: ["form", "field twice", "credentials", ""],
    },
    {
      path: page(2),
      change: inBody(({ passports }) => ([passports[3], passports[5]] = [passports[5], passports[3]])),
      expected: ["form", "order of items", "list", "passports"],
    },
  ];
};

/** Thirteen differences in data, each on another response. */
export const dataSeeds = (people: readonly Person[]): Seed[] => {
  const at = (index: number) => people[index] as Person;
  return [
    {
      path: single(at(35)),
      change: inText(/"score":[\d.]+/, '"score":987654'),
      expected: ["data", "value", "single", "passport.score"],
    },
    {
      path: single(at(47)),
      change: inBody(({ passport }) => (passport.passport_profile.display_name = "x")),
      expected: ["data", "value", "single", "passport.passport_profile.display_name"],
    },
    {
      path: single(at(22)),
      change: inBody(
        ({ passport }) => (passport.passport_profile.location = passport.passport_profile.location ? null : "x"),
      ),
      expected: ["data", "value", "single", "passport.passport_profile.location"],
    },
    {
      path: single(at(23)),
      change: inBody(({ passport }) => passport.passport_profile.tags.push("x")),
      expected: ["data", "value", "single", "passport.passport_profile.tags"],
    },
    {
      path: single(at(24)),
      change: inBody(({ passport }) => passport.verified_wallets.pop()),
      expected: ["data", "value", "single", "passport.verified_wallets"],
    },
    {
      path: single(at(25)),
      change: inBody(({ passport }) => (passport.merged = true)),
      expected: ["data", "value", "single", "passport.merged"],
    },
    {
      path: single(at(26)),
      change: inText(/("last_calculated_at":")\d{4}/, "$12999"),
      expected: ["data", "value", "single", "passport.last_calculated_at"],
    },
    {
      path: new RegExp(`passports/${at(27).passport.main_wallet}$`),
      change: inText(/"passport_id":\d+/, '"passport_id":1'),
      expected: ["data", "value", "single", "passport.passport_id"],
    },
    {
      path: credentials(at(28)),
      change: inBody((body) => (body.passport_credentials[0].value = "x")),
      expected: ["data", "value", "credentials", "passport_credentials[].value"],
    },
    {
      path: credentials(at(29)),
      change: inBody((body) => body.passport_credentials.splice(1, 1)),
      expected: ["data", "missing item", "credentials", "passport_credentials[]"],
    },
    {
      path: page(3),
      change: inBody(({ pagination }) => (pagination.total += 1)),
      expected: ["data", "value", "list", "pagination.total"],
    },
    {
      path: page(4),
      change: inBody(({ passports }) => passports.splice(4, 1)),
      expected: ["data", "person that is not on the page of NEW", "list", "passports[]"],
      also: ["form", "number of people on a page", "list", "passports"],
    },
    {
      path: page(5),
      change: inBody(({ passports }) => (passports[4].passport_profile.bio = "x")),
      expected: ["data", "value", "list", "passports[].passport_profile.bio"],
    },
  ];
};

/** Applies the seeds to the responses of a server. */
export const breakWithSeeds = (seeds: readonly Seed[]): Breakage => ({
  changeResponse: (response, { path }) => {
    response.headers["access-control-allow-origin"] = "*";
    for (const { path: pattern, change } of seeds) if (pattern.test(path)) change(response);
  },
});
