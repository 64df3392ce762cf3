import type { Connection } from "#core/database/database.ts";
import { ANCHOR_EVERY, HEAVY_THRESHOLD_PEOPLE, REACH, STORED_RANKS } from "#list/search/heavy-keywords.ts";
import { createSubstringFinder, type SubstringFinder } from "#list/search/substrings.ts";
import { buildKeywords, buildNames, type NewKeyword, readNames, readNamesByRank } from "./build-epoch.ts";

/** Builds the names table and the keywords table of a new epoch. */
export async function indexNames(
  connection: Connection,
  epoch: number,
  people: number,
  threshold = HEAVY_THRESHOLD_PEOPLE,
): Promise<void> {
  await buildNames(connection, epoch);
  const substrings = createSubstringFinder({
    threshold,
    maxRanks: STORED_RANKS,
    anchorInterval: ANCHOR_EVERY,
    lastReachable: REACH,
  });
  // With fewer people no keyword can be heavy.
  if (people > threshold) {
    do await countNames(connection, epoch, substrings);
    while (substrings.endPass());
    await recordRanks(connection, epoch, substrings);
  }
  await buildKeywords(connection, epoch, listKeywords(substrings));
}

async function countNames(connection: Connection, epoch: number, substrings: SubstringFinder): Promise<void> {
  for await (const rows of readNames(connection, epoch)) {
    for (const [name, people] of rows) substrings.countName(name as string, Number(people));
  }
}

async function recordRanks(connection: Connection, epoch: number, substrings: SubstringFinder): Promise<void> {
  let rank = 0;
  for await (const rows of readNamesByRank(connection, epoch)) {
    for (const [name = null] of rows) {
      rank += 1;
      if (name !== null) substrings.recordRank(name, rank);
    }
  }
}

function* listKeywords(substrings: SubstringFinder): Generator<NewKeyword> {
  for (const { text, people, ranks, anchors } of substrings.list()) yield { keyword: text, people, ranks, anchors };
}
