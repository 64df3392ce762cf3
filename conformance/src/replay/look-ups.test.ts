import { expect, test } from "vitest";
import type { HttpResponse } from "../client.ts";
import { data } from "./difference.ts";
import { lookUpAbsent } from "./look-ups.ts";

const passport = { score: 1, last_calculated_at: "2026-01-01T00:00:00.000Z" };
const answer = (status: number, body: object = { passport }): HttpResponse => ({
  status,
  headers: {},
  body: JSON.stringify(body),
});

/** Looks up a person who is on the page of NEW only; OLD responds with each of these statuses in turn. */
async function decide(statuses: readonly number[]): Promise<unknown[]> {
  const left = [...statuses];
  const absent = { id: "1", listedOn: "new", isBetweenUnchanged: false } as const;
  const difference = { ...data("person", undefined, 1), field: "", place: "", explanation: null, absent };
  const [decided] = await lookUpAbsent([difference], async (server) =>
    answer(server === "old" ? (left.shift() ?? 404) : 200),
  );
  return [decided?.kind, decided?.explanation];
}

test("a server that fails once is asked again about a person", async () => {
  expect(await decide([200])).toEqual(["person on another page", "moved"]);
  expect(await decide([500, 200])).toEqual(["person on another page", "moved"]);
  expect(await decide([500, 500, 200])).toEqual(["person that OLD does not have", null]);
  expect(await decide([404, 200])).toEqual(["person that OLD does not have", null]);
});
