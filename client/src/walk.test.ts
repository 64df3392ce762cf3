import { expect, test } from "vitest";
import { createClient, type Passport } from "./client.ts";

/** A client of a list that changes between two requests: one array of pages for each request. */
function listOf(...states: number[][][]) {
  const pages: number[] = [];
  const fetch = async (url: unknown) => {
    const page = Number(new URL(String(url)).searchParams.get("page"));
    const state = states[Math.min(pages.length, states.length - 1)] as number[][];
    pages.push(page);
    const passports = (state[page - 1] ?? []).map((passport_id) => ({ passport_id }));
    return Response.json({ passports, pagination: { current_page: page, last_page: state.length, total: 0 } });
  };
  return { pages, client: createClient({ baseUrl: "http://v1.example", fetch }) };
}

async function idsOf(passports: AsyncIterable<Passport>): Promise<number[]> {
  const ids: number[] = [];
  for await (const { passport_id } of passports) ids.push(passport_id);
  return ids;
}

test("a person who moves to a later page is returned once", async () => {
  const { client } = listOf(
    [[1, 2], [3, 4], [5]],
    [
      [6, 1],
      [2, 3],
      [4, 5],
    ],
  );
  expect(await idsOf(client.allPassports())).toEqual([1, 2, 3, 4, 5]);
});

test("the walk ends at the last page of the first response, also if the list grows", async () => {
  const { client, pages } = listOf([[1], [2]], [[1], [2], [3]], [[1], [2], [3], [4]]);
  expect(await idsOf(client.allPassports())).toEqual([1, 2]);
  expect(pages).toEqual([1, 2]);
});

test("the walk ends earlier if the list shrinks, and passes empty pages", async () => {
  const { client, pages } = listOf([[1], [], [3], [4]], [[1], [], [3], [4]], [[1], [], [3]]);
  expect(await idsOf(client.allPassports())).toEqual([1, 3]);
  expect(pages).toEqual([1, 2, 3]);
});

test("a caller who stops sends no further request", async () => {
  const { client, pages } = listOf([[1, 2], [3]]);
  for await (const { passport_id } of client.allPassports()) if (passport_id === 2) break;
  expect(pages).toEqual([1]);
});

test("an empty list is walked through", async () => {
  const { client } = listOf([[]]);
  expect(await idsOf(client.allPassports({ keyword: "nobody" }))).toEqual([]);
});
