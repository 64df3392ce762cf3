import { ANCHOR_EVERY, HEAVY_THRESHOLD_PEOPLE, REACH, STORED_RANKS } from "#search/heavy-keywords.ts";
import { createSubstringCounter, type SubstringCounter } from "#search/substrings.ts";
import type { Connection } from "#store/engine/database.ts";
import { buildKeywords, buildNames, type NewKeyword, readNames, readNamesByRank } from "#store/standing/build-epoch.ts";

/** Makes an epoch that is being built searchable by name. */
export async function indexNames(
  connection: Connection,
  epoch: number,
  people: number,
  few = HEAVY_THRESHOLD_PEOPLE,
): Promise<void> {
  await buildNames(connection, epoch);
  const substrings = createSubstringCounter({
    few,
    ranksKept: STORED_RANKS,
    anchorEvery: ANCHOR_EVERY,
    lastReachable: REACH,
  });
  // Otherwise no substring can be shared by more than a few.
  if (people > few) {
    do await countNames(connection, epoch, substrings);
    while (substrings.endPass());
    await placeNames(connection, epoch, substrings);
  }
  await buildKeywords(connection, epoch, listKeywords(substrings));
}

async function countNames(connection: Connection, epoch: number, substrings: SubstringCounter): Promise<void> {
  for await (const rows of readNames(connection, epoch)) {
    for (const [name, people] of rows) substrings.count(name as string, Number(people));
  }
}

async function placeNames(connection: Connection, epoch: number, substrings: SubstringCounter): Promise<void> {
  let rank = 0;
  for await (const rows of readNamesByRank(connection, epoch)) {
    for (const [name = null] of rows) {
      rank += 1;
      if (name !== null) substrings.place(name, rank);
    }
  }
}

function* listKeywords(substrings: SubstringCounter): Generator<NewKeyword> {
  for (const { text, people, ranks, anchors } of substrings.list()) yield { keyword: text, people, ranks, anchors };
}
