import { describe, expect, test } from "vitest";
import { hide } from "#testing/decide.ts";
import { credential, person, wallet } from "#testing/people.ts";
import { serving } from "#testing/serving.ts";
import { expectError, expectV1Headers } from "#testing/v1-shape.ts";

describe("GET /api/v1/passport_credentials", async () => {
  const { address, database } = await serving([
    person(1, { main_wallet: wallet(1) }, { credentials: [credential("a"), credential("b", { score: 9 })] }),
    person(2),
    person(3, { main_wallet: wallet(3) }, { credentials: [credential("hidden")] }),
  ]);
  await hide(database, [3]);
  const idsAt = async (query: string): Promise<string[]> => {
    const response = await fetch(`${address}/api/v1/passport_credentials${query}`);
    expect(response.status).toBe(200);
    expectV1Headers({ status: 200, headers: response.headers });
    const { passport_credentials } = (await response.json()) as { passport_credentials: { id: string }[] };
    return passport_credentials.map((item) => item.id);
  };

  test.each([
    ["?passport_id=1", ["b", "a"]],
    ["?passport_id=01", ["b", "a"]],
    [`?passport_id=${wallet(1)}`, ["b", "a"]],
    ["?passport_id=2&passport_id=1", ["b", "a"]],
    ["?passport_id=1&passport_id=2", []],
    ["?passport_id=2", []],
    ["", []],
    ["?passport_id=", []],
    ["?passport_id=3", []],
    [`?passport_id=${wallet(3)}`, []],
    ["?passport_id=4", []],
    ["?passport_id=1e0", []],
    ["?passport_id=+1", []],
    ["?passport_id=%zz", []],
    ["?passport_id=%ff", []],
    ["?passport_id=%00", []],
  ] as [string, string[]][])("200: %s returns %j", async (query, ids) => {
    expect(await idsAt(query)).toEqual(ids);
  });

  test("401: an unknown key", async () => {
    const response = await fetch(`${address}/api/v1/passport_credentials`, { headers: { "X-API-KEY": "k" } });
    expectError({ status: response.status, headers: response.headers, body: await response.text() }, "unauthorized");
  });
});
