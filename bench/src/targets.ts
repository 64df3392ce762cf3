import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Bench, column } from "./database.ts";
import type { Target } from "./load.ts";

// What is asked for.

export type Targets = Record<
  "byId" | "present" | "popular" | "byWallet" | "credentials" | "unknown" | "firstPage" | "middlePage" | "lastPage",
  Target
>;

const SAMPLE = 200_000;

export async function chooseTargets(bench: Bench, folder: string): Promise<Targets> {
  const { people, withCredentials } = bench;
  const share = Math.min(100, (100 * SAMPLE) / people);
  const wallets = await column<string>(
    bench,
    `select address from wallet_owner tablesample system (${share}) limit ${SAMPLE}`,
  );
  // Nobody who is hidden: whatever is not answered with 200 has failed.
  const present = await column<string>(
    bench,
    `select passport_id from passport_document tablesample system (${share}) limit ${SAMPLE}`,
  );
  const [total] = await column<string>(bench, "select total from standing_epoch order by epoch desc limit 1");
  const lastPage = Math.ceil(Number(total) / 25);
  const near = (page: number) => Array.from({ length: 50 }, (_, at) => Math.max(1, page - at));
  const write = async (name: string, paths: string[]): Promise<Target> => {
    const file = join(folder, name);
    await writeFile(file, `${paths.join("\n")}\n`);
    return { file };
  };
  return {
    present: await write(
      "present",
      present.map((id) => `/api/v1/passports/${id}`),
    ),
    byId: { path: "/api/v1/passports/{n}", most: people },
    popular: await write(
      "popular",
      drawPopular(people).map((id) => `/api/v1/passports/${id}`),
    ),
    byWallet: await write(
      "wallets",
      wallets.map((address) => `/api/v1/passports/${address}`),
    ),
    credentials: { path: "/api/v1/passport_credentials?passport_id={n}", most: withCredentials },
    unknown: { path: `/api/v1/passports/${people + 1}{n}`, most: 1_000_000 },
    firstPage: await write(
      "first",
      near(50).map((page) => `/api/v1/passports?page=${page}`),
    ),
    middlePage: await write(
      "middle",
      near(Math.ceil(lastPage / 2)).map((page) => `/api/v1/passports?page=${page}`),
    ),
    lastPage: await write(
      "last",
      near(lastPage - 1).map((page) => `/api/v1/passports?page=${page}`),
    ),
  };
}

/** As many as a node's cache holds with its default size. */
const POPULAR = 22_000;

/** Ids by Zipf's law: the tenth most popular is drawn a tenth as often as the first. Anybody may be popular. */
function drawPopular(people: number): number[] {
  const popular = Math.min(people, POPULAR);
  return Array.from({ length: SAMPLE }, () => {
    const place = Math.floor(popular ** Math.random());
    // A step that shares no factor with the number of people reaches everyone.
    return ((place * 7_368_787) % people) + 1;
  });
}

/** The first lines of files of paths, in turn. */
export async function listPaths(targets: readonly Target[]): Promise<string[]> {
  const files = targets.flatMap((target) => ("file" in target ? [target.file] : []));
  const lines = await Promise.all(files.map(async (file) => (await readFile(file, "utf8")).trim().split("\n")));
  const least = Math.min(...lines.map((some) => some.length));
  return Array.from({ length: least }, (_, at) => lines.map((some) => some[at] as string)).flat();
}
