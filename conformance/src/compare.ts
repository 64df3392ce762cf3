import type { Client, HttpResponse } from "./client.ts";
import { CREDENTIALS, isObject, itemsOf, LIST, UNKNOWN_ID, UNKNOWN_WALLET } from "./sample.ts";

/** A field in which two responses differ; undefined where a server does not send the field. */
export type Difference = { request: string; field: string; first: unknown; second: unknown };
export type Comparison = { requests: number; people: number; differences: Difference[] };

type Report = (field: string, first: unknown, second: unknown) => void;

/** Sends the same requests to two servers and compares the responses field by field. */
export async function compareServers(first: Client, second: Client, pages: number): Promise<Comparison> {
  const differences: Difference[] = [];
  let requests = 0;
  const compare = async (path: string): Promise<[HttpResponse, HttpResponse]> => {
    requests += 1;
    const responses = await Promise.all([first.request(path), second.request(path)]);
    compareResponses(...responses, (field, a, b) => {
      differences.push({ request: path, field, first: a, second: b });
    });
    return responses;
  };

  const ids = new Set<string>();
  const wallets = new Set<string>();
  for (let page = 1; page <= pages; page++) {
    const lists = await compare(`${LIST}?page=${page}`);
    if (page === 1) requireLists(...lists);
    const passports = lists.flatMap((list) => itemsOf(list, "passports"));
    for (const { passport_id, main_wallet } of passports) {
      ids.add(String(passport_id));
      if (typeof main_wallet === "string") wallets.add(main_wallet);
    }
    if (passports.length === 0) break;
  }
  for (const id of ids) {
    await compare(`${LIST}/${encodeURIComponent(id)}`);
    await compare(`${CREDENTIALS}?passport_id=${encodeURIComponent(id)}`);
  }
  for (const wallet of wallets) await compare(`${LIST}/${encodeURIComponent(wallet)}`);
  for (const id of [UNKNOWN_ID, UNKNOWN_WALLET, "1e3"]) await compare(`${LIST}/${id}`);
  for (const path of [CREDENTIALS, `${LIST}?keyword=a`, `${LIST}?per_page=1`]) await compare(path);
  return { requests, people: ids.size, differences };
}

/** Throws unless both lists can be read: two equal errors are no comparison. */
export function requireLists(...lists: [HttpResponse, HttpResponse]): void {
  for (const [index, { status }] of lists.entries()) {
    if (status === 200) continue;
    const advice =
      status === 401
        ? "Add its key: --key for the first server, --compare-key for the second."
        : "Check that it is a V1 server, and remove /api/v1 from the URL.";
    const server = index === 0 ? "first" : "second";
    throw new Error(`The ${server} server returns ${status} for the list, so there is nothing to compare. ${advice}`);
  }
  if (lists.every((list) => itemsOf(list, "passports").length === 0)) {
    throw new Error("Both lists are empty, so there is nothing to compare.");
  }
}

/** Compares status, media type and body. Other headers may differ between servers. */
function compareResponses(first: HttpResponse, second: HttpResponse, report: Report): void {
  const mediaType = ({ headers }: HttpResponse) => headers["content-type"]?.split(";")[0];
  compareValues("status", first.status, second.status, report);
  compareValues("content type", mediaType(first), mediaType(second), report);
  compareValues("", parseBody(first), parseBody(second), report);
}

function parseBody({ body }: HttpResponse): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

function compareValues(field: string, first: unknown, second: unknown, report: Report): void {
  if (Object.is(first, second)) return;
  if (Array.isArray(first) && Array.isArray(second)) {
    compareArrays(field, first, second, report);
    return;
  }
  if (!isObject(first) || !isObject(second)) {
    report(field || "body", first, second);
    return;
  }
  const [firstKeys, secondKeys] = [Object.keys(first), Object.keys(second)];
  if (firstKeys.join() !== secondKeys.join() && firstKeys.toSorted().join() === secondKeys.toSorted().join()) {
    report(`order of ${field || "body"}`, firstKeys, secondKeys);
  }
  for (const key of new Set([...firstKeys, ...secondKeys])) {
    compareValues(field === "" ? key : `${field}.${key}`, first[key], second[key], report);
  }
}

/** Matches people and credentials by id, so that a missing item is one difference. */
function compareArrays(field: string, first: readonly unknown[], second: readonly unknown[], report: Report): void {
  const [firstNames, secondNames] = [namesOf(first), namesOf(second)];
  for (const name of new Set([...firstNames, ...secondNames])) {
    const [a, b] = [first[firstNames.indexOf(name)], second[secondNames.indexOf(name)]];
    compareValues(`${field}[${name}]`, a, b, report);
  }
  const common = firstNames.filter((name) => secondNames.includes(name));
  if (common.join() !== secondNames.filter((name) => firstNames.includes(name)).join())
    report(`order of ${field}`, firstNames, secondNames);
}

/** The ids of the items if all items have distinct ids, otherwise their indexes. */
function namesOf(items: readonly unknown[]): string[] {
  const ids = items.map((item) => (isObject(item) ? String(item.passport_id ?? item.id ?? "") : ""));
  const areDistinct = ids.every((id) => id !== "") && new Set(ids).size === ids.length;
  return areDistinct ? ids : items.map((_, index) => String(index));
}
