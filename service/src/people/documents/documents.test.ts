import { describe, expect, test } from "vitest";
import { inventDemoPeople } from "#demo/invent/population.ts";
import { savePeople } from "#people/write/save-people.ts";
import { testDatabase } from "#testing/database.ts";
import { rebuildDocuments } from "./rebuild-documents.ts";
import { verifyDocuments } from "./verify-documents.ts";

const ignoreProgress = () => {};

describe("documents", async () => {
  const { database } = await testDatabase();
  await savePeople(database, inventDemoPeople());

  test.each([
    [
      "a changed byte of a passport",
      "update passport_document set body = replace(body, 'Ada Okafor', 'Ada 0kafor') where passport_id = 1",
    ],
    [
      "a changed byte of credentials",
      "update credential_document set body = replace(body, 'Active', 'active') where passport_id = 14",
    ],
    ["a changed ETag", "update passport_document set etag = 'W/\"x\"' where passport_id = 3"],
    ["a missing document", "delete from credential_document where passport_id = 4"],
    ["a document without a passport", "insert into credential_document values (999999, '{}', 'x', 1)"],
    [
      "a wallet without its owner",
      "delete from wallet_owner where address = (select min(address) from wallet_owner where passport_id = 20)",
    ],
    [
      "a wallet with the wrong owner",
      "update wallet_owner set passport_id = 7 where address = (select address from person_wallet where passport_id = 8 limit 1)",
    ],
    ["a wallet that no passport lists", "insert into wallet_owner values ('0xstray', 9)"],
    [
      "a line that says something else",
      "update person set line = replace(line::text, '\"score\"', '\"score\" ')::json where passport_id = 5",
    ],
    ["a column that contradicts the line", "update person set score = score + 1 where passport_id = 5"],
    ["a name that contradicts the line", "update person set folded_name = 'x' where passport_id = 5"],
    [
      "a wallet that the line does not list",
      "insert into person_wallet values ('0xstray', (select passport_id from person where merged limit 1), false)",
    ],
    ["a wallet of nobody", "insert into person_wallet values ('0xstray', 999999, false)"],
    [
      "a main wallet that is not the one of the line",
      "update person_wallet set is_main = false where passport_id = 8 and is_main",
    ],
    ["a document of another presenter version", "update passport_document set presenter = 0 where passport_id = 6"],
  ])("verify finds %s, and rebuild repairs it", async (_, damage) => {
    const { rowCount } = await database.query(damage);
    expect(rowCount).toBe(1);
    const found = await verifyDocuments(database, ignoreProgress);
    expect(found.different).toBeGreaterThan(0);
    expect(found.differences).toHaveLength(found.different);
    expect(new Set(found.differences.map(({ passport_id }) => passport_id)).size).toBe(1);
    await rebuildDocuments(database, ignoreProgress);
    expect((await verifyDocuments(database, ignoreProgress)).different).toBe(0);
  });

  test("rebuilding during concurrent writes gives documents that verify", async () => {
    const people = inventDemoPeople();
    let saving = true;
    let rebuilds = 0;
    const saved = (async () => {
      for (let round = 0; round < 3 || rebuilds < 3; round++) {
        // Each round changes all scores. Two people who share a wallet are saved in separate transactions.
        for (const part of [people.slice(0, 18), people.slice(18)]) {
          const changed = part.map((person) => ({ ...person, passport: { ...person.passport, score: round } }));
          await savePeople(database, changed);
        }
      }
      saving = false;
    })();
    for (; saving; rebuilds++) await rebuildDocuments(database, ignoreProgress);
    await saved;
    expect((await verifyDocuments(database, ignoreProgress)).different).toBe(0);
  });

  test("two databases with the same people have the same bytes and ETags", async () => {
    const other = (await testDatabase()).database;
    const people = inventDemoPeople();
    // Another order, in batches that part people who share a wallet.
    const reversed = people.toReversed();
    for (let start = 0; start < reversed.length; start += 7) await savePeople(other, reversed.slice(start, start + 7));
    await rebuildDocuments(database, ignoreProgress);
    await savePeople(database, people);
    for (const table of ["passport_document", "credential_document", "wallet_owner"]) {
      const read = `select * from ${table} order by 1`;
      expect((await other.query(read)).rows).toEqual((await database.query(read)).rows);
    }
  });
});
