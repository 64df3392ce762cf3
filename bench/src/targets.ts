import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Bench, column } from "./database.ts";
import type { Target } from "./load.ts";

export type Targets = Record<
  | "byId"
  | "present"
  | "popular"
  | "byWallet"
  | "credentials"
  | "unknown"
  | "firstPage"
  | "middlePage"
  | "lastPage"
  | "longPage"
  | "search",
  Target
>;

const SAMPLE_SIZE = 200_000;
const BY_ID = "/api/v1/passports/";
const PAGE = "/api/v1/passports?page=";

export async function chooseTargets(bench: Bench, folder: string): Promise<Targets> {
  const { people, withCredentials } = bench;
  const percent = Math.min(100, (100 * SAMPLE_SIZE) / people);
  const sample = (name: string, table: string) =>
    column<string>(bench, `select ${name} from ${table} tablesample system (${percent}) limit ${SAMPLE_SIZE}`);
  const [total] = await column<string>(bench, "select total from standing_epoch order by epoch desc limit 1");
  const lastPage = Math.ceil(Number(total) / 25);
  const fiftyPagesTo = (page: number) => Array.from({ length: 50 }, (_, index) => Math.max(1, page - index));
  const write = async (name: string, prefix: string, keys: readonly (string | number)[]): Promise<Target> => {
    const file = join(folder, name);
    await writeFile(file, `${keys.map((key) => prefix + key).join("\n")}\n`);
    return { file };
  };
  return {
    // Without hidden people: every response must be 200.
    present: await write("present", BY_ID, await sample("passport_id", "passport_document")),
    byId: { path: `${BY_ID}{n}`, maxN: people },
    popular: await write("popular", BY_ID, drawPopularIds(people)),
    byWallet: await write("wallets", BY_ID, await sample("address", "wallet_owner")),
    credentials: { path: "/api/v1/passport_credentials?passport_id={n}", maxN: withCredentials },
    unknown: { path: `${BY_ID}${people + 1}{n}`, maxN: 1_000_000 },
    firstPage: await write("first", PAGE, fiftyPagesTo(50)),
    middlePage: await write("middle", PAGE, fiftyPagesTo(Math.ceil(lastPage / 2))),
    lastPage: await write("last", PAGE, fiftyPagesTo(lastPage - 1)),
    longPage: await write("long", "/api/v1/passports?per_page=100&page=", fiftyPagesTo(50)),
    search: await write("search", "/api/v1/passports?keyword=", await drawKeywords(bench)),
  };
}

/** Beginnings of names, as people type them. */
async function drawKeywords(bench: Bench): Promise<string[]> {
  const names = await column<string>(
    bench,
    "select distinct left(folded_name, 4) from person where folded_name is not null limit 1000",
  );
  return names.map(encodeURIComponent);
}

/** The number of passports that fit into a cache of the default size. */
const POPULAR_PEOPLE = 22_000;

/** Draws ids by Zipf's law: the tenth most popular id is drawn a tenth as often as the first. */
function drawPopularIds(people: number): number[] {
  const popular = Math.min(people, POPULAR_PEOPLE);
  return Array.from({ length: SAMPLE_SIZE }, () => {
    const rank = Math.floor(popular ** Math.random());
    // The multiplier is prime: it spreads the popular ids over all ids.
    return ((rank * 7_368_787) % people) + 1;
  });
}

/** The lines of the target files, interleaved, up to the length of the shortest file. */
export async function listPaths(targets: readonly Target[]): Promise<string[]> {
  const files = targets.flatMap((target) => ("file" in target ? [target.file] : []));
  const lines = await Promise.all(files.map(async (file) => (await readFile(file, "utf8")).trim().split("\n")));
  const length = Math.min(...lines.map((paths) => paths.length));
  return Array.from({ length }, (_, index) => lines.map((paths) => paths[index] as string)).flat();
}
