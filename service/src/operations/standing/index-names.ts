import { createSubstringFinder, type SubstringFinder } from "#search/substrings.ts";
import type { Connection } from "#store/engine/database.ts";
import { buildKeywords, buildNames, type NewKeyword, readNames, readNamesByRank } from "#store/standing/build-epoch.ts";
import { ANCHOR_EVERY, LAST_REACHABLE_MATCH, RANKS_KEPT } from "#store/standing/epochs.ts";

/** Keywords that more people match are answered from a table; fewer can be looked up while somebody waits. */
const FEW = 5_000;

/** Makes an epoch that is being built searchable by name. */
export async function indexNames(connection: Connection, epoch: number, people: number, few = FEW): Promise<void> {
  await buildNames(connection, epoch);
  const substrings = createSubstringFinder({
    threshold: few,
    maxRanks: RANKS_KEPT,
    anchorInterval: ANCHOR_EVERY,
    lastReachable: LAST_REACHABLE_MATCH,
  });
  // Otherwise no substring can be shared by more than a few.
  if (people > few) {
    do await countNames(connection, epoch, substrings);
    while (substrings.endPass());
    await placeNames(connection, epoch, substrings);
  }
  await buildKeywords(connection, epoch, listKeywords(substrings));
}

async function countNames(connection: Connection, epoch: number, substrings: SubstringFinder): Promise<void> {
  for await (const rows of readNames(connection, epoch)) {
    for (const [name, people] of rows) substrings.countName(name as string, Number(people));
  }
}

async function placeNames(connection: Connection, epoch: number, substrings: SubstringFinder): Promise<void> {
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
