import assert from "node:assert/strict";
import { join } from "node:path";
import type { Database } from "#core/database/database.ts";
import { inventDemoPeople } from "#demo/invent/population.ts";
import { randomFrom } from "#demo/invent/random.ts";
import { LISTED } from "#list/epochs.ts";
import { refreshStanding } from "#list/manage/refresh-standing.ts";
import { savePeople } from "#people/write/save-people.ts";
import { changePerson } from "#privacy/change-person.ts";
import { runCredence, startServer, withProofDatabase, withProofFolder } from "./harness.ts";
import { writeCarryingPeople } from "./write-people.ts";

const SAMPLE = 1_000;

type Shown = { rank: number; total: number; percent: number };

/**
 * The rank on a person's page is a count of all people in SQL, and the percentage is its whole part.
 * After a hide, the page is gone at once, the ranks of others stay, and totals follow with the list.
 */
export function proveRanks(people: number) {
  return withProofFolder((folder) =>
    withProofDatabase(async ({ url, database }) => {
      const file = join(folder, "people.ndjson");
      await writeCarryingPeople(file, people);
      await runCredence(["import", file, "--no-standing"], { DATABASE_URL: url });
      await savePeople(database, inventDemoPeople());
      await refreshStanding(database);
      const server = await startServer(url, { CACHE_MAX_AGE: "0s" });
      try {
        const checked = await checkSample(server.address, database);
        return { people, ...checked, ...(await checkAfterHide(server.address, database)) };
      } finally {
        await server.stop();
      }
    }),
  );
}

async function checkSample(address: string, database: Database) {
  const { rows } = await database.query<{
    passport_id: number;
    expected: number;
    lower: number;
    equal: number;
    scores: number;
  }>(
    `select passport_id, rank() over (order by score desc) + count(*) over (partition by score order by passport_id) - 1 as expected,
       rank() over (order by score) - 1 as lower, count(*) over (partition by score) as equal, count(*) over () as scores
     from passport where ${LISTED} and score is not null`,
  );
  const random = randomFrom(1, rows.length);
  const sample = Array.from({ length: Math.min(SAMPLE, rows.length) }, () => rows[random.int(0, rows.length - 1)]);
  const shared = sample.filter((row) => (row?.equal ?? 0) > 1).length;
  for (const row of sample) {
    assert.ok(row);
    const shown = await readPlace(address, row.passport_id);
    assert.equal(shown?.rank, row.expected, `passport ${row.passport_id}`);
    const percent = (100 * row.lower) / row.scores;
    assert.ok(shown.percent <= percent && percent < shown.percent + 1, `passport ${row.passport_id}: ${percent}`);
  }
  return { checked: sample.length, with_equal_scores: shared };
}

async function checkAfterHide(address: string, database: Database) {
  const list = await listedRanks(address, "?page=2");
  const [hidden, next] = [list[3], list[4]];
  assert.ok(hidden && next);
  await changePerson(database, { action: "hide", passportId: hidden.passportId });
  assert.equal((await fetch(`${address}/passports/${hidden.passportId}`)).status, 404);
  const before = await readPlace(address, next.passportId);
  // The list has a gap, and both pages print the same rank.
  assert.equal(before?.rank, next.rank);
  assert.deepEqual(
    await listedRanks(address, "?page=2"),
    list.filter(({ rank }) => rank !== hidden.rank),
  );
  await refreshStanding(database);
  const epochSeen = async () => (await readPlace(address, next.passportId))?.rank === next.rank - 1;
  // Pages read the list's total at most once in five seconds.
  for (const start = Date.now(); !(await epochSeen()); ) assert.ok(Date.now() - start < 10_000);
  assert.equal((await readPlace(address, next.passportId))?.total, before.total - 1);
  return { hidden: hidden.passportId, rank_before: next.rank, rank_after: next.rank - 1 };
}

async function readPlace(address: string, passportId: number): Promise<Shown | null> {
  const text = await (await fetch(`${address}/passports/${passportId}`)).text();
  const place =
    /leaderboard\?rank=(\d+)">[\d,]+(?:st|nd|rd|th) of ([\d,]+)<\/a> people listed\.(?: Higher than (\d+) %\.| The highest score\.)?/.exec(
      text,
    );
  if (place === null) return null;
  const [, rank, total = "", percent] = place;
  const isHighest = place[0].endsWith("highest score.");
  return {
    rank: Number(rank),
    total: Number(total.replaceAll(",", "")),
    percent: isHighest ? 99 : Number(percent ?? 0),
  };
}

async function listedRanks(address: string, query: string) {
  const text = await (await fetch(`${address}/leaderboard${query}`)).text();
  return [...text.matchAll(/id="r(\d+)">\s*<td[^>]*>([\d,]+)<\/td>\s*<th[^>]*><a href="\/passports\/(\d+)"/g)].map(
    ([, id, rank = "", passportId]) => {
      assert.equal(Number(id), Number(rank.replaceAll(",", "")));
      return { rank: Number(id), passportId: Number(passportId) };
    },
  );
}
