import type { Client, HttpResponse } from "../client.ts";
import { CREDENTIALS, itemsOf, LIST, UNKNOWN_ID, UNKNOWN_WALLET } from "../sample.ts";

const OTHERS = [UNKNOWN_ID, UNKNOWN_WALLET, "1e3"].map((id) => `${LIST}/${id}`);
const LISTS = [CREDENTIALS, `${LIST}?keyword=a`, `${LIST}?per_page=1`];

/**
 * The requests of a comparison without a log, one per line: the first pages of the list, each person
 * on them by id and by wallet, their credentials, and ids that nobody has.
 */
export async function* listRequests(client: Client, pages: number, prefix: string): AsyncGenerator<Buffer> {
  const lines = (paths: readonly string[]): Buffer =>
    Buffer.from(paths.map((path) => `${path.replace("/api/v1", prefix)}\n`).join(""));
  for (let page = 1; page <= pages; page++) {
    const passports = itemsOf(await client.request(`${LIST}?page=${page}`), "passports");
    yield lines([`${LIST}?page=${page}`]);
    if (passports.length === 0) break;
    for (const { passport_id, main_wallet } of passports) {
      const id = encodeURIComponent(String(passport_id));
      const wallet = typeof main_wallet === "string" ? [`${LIST}/${encodeURIComponent(main_wallet)}`] : [];
      yield lines([`${LIST}/${id}`, `${CREDENTIALS}?passport_id=${id}`, ...wallet]);
    }
  }
  yield lines([...OTHERS, ...LISTS]);
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
