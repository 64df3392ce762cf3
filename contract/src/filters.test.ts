import { describe, expect, test } from "vitest";
import { isFilter, refusesCredentials, refusesList } from "./filters.ts";
import { PassportDetail, PassportProfile } from "./passport.ts";

test("all fields of a passport and of its profile are filters", () => {
  const fields = [...Object.keys(PassportDetail.properties), ...Object.keys(PassportProfile.properties)];
  expect(fields.filter((field) => !isFilter(field))).toEqual([]);
});

test.each([
  ...[
    "filter[twitter]",
    "filter[wallet][eq]",
    "filter.name",
    "FILTERS",
    "where",
    "passport_socials",
    "passportSocials",
  ],
  ...["score_gte", "min_score", "minScore", "score[gte]", "score-max", "q", "q[]", "Search", "ids", "user_ids", "fid"],
  ...["wallet_addresses", "addresses", "usernames", "name_contains", "in_wallets", "verified", "image-url", "ens"],
])("%s is a filter", (name) => {
  expect(isFilter(name)).toBe(true);
  expect(refusesList({ [name]: "", page: "1" })).toBe(true);
  expect(refusesCredentials({ [name]: "" })).toBe(true);
  expect(refusesCredentials({ [name]: "", passport_id: "" })).toBe(false);
});

test.each([
  ...[
    "sort",
    "sort_by",
    "order",
    "limit",
    "offset",
    "cursor",
    "_",
    "t",
    "cb",
    "v",
    "source",
    "type",
    "value",
    "category",
  ],
  ...[
    "utm_source",
    "fbclid",
    "min_q",
    "q_eq",
    "api_key",
    "token",
    "version",
    "fields",
    "include",
    "format",
    "lang",
    "",
  ],
  ...["keyword[]", "per_page[]", "x[score]", "x.filter"],
])("%s is ignored", (name) => {
  expect(isFilter(name)).toBe(false);
  expect(refusesList({ [name]: "1" })).toBe(false);
  expect(refusesCredentials({ [name]: "1" })).toBe(false);
});

describe("id", () => {
  test.each([
    [{ id: "1" }, true],
    [{ ID: "" }, true],
    [{ "id[]": "1" }, true],
    [{ id: "1", keyword: "a" }, true],
    [{ id: "1", page: "2" }, false],
    [{ id: "1", per_page: "" }, false],
    [{}, false],
  ])("on the list, %j is refused: %s", (query, expected) => {
    expect(refusesList(query)).toBe(expected);
  });

  test.each([
    [{ id: "1" }, true],
    [{ id: "1", page: "1" }, true],
    [{ passportId: "1" }, true],
    [{ id: "1", passport_id: "1" }, false],
    [{}, false],
  ])("of credentials, %j is refused: %s", (query, expected) => {
    expect(refusesCredentials(query)).toBe(expected);
  });
});
