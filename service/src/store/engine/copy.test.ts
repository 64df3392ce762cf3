import fc from "fast-check";
import { expect, test } from "vitest";
import { testDatabase } from "#testing/database.ts";
import { scaled } from "#testing/scale.ts";
import { copyRows, encodeRow, readRows } from "./copy.ts";
import { withConnection } from "./database.ts";

test("whatever can be stored comes back as it was sent", async () => {
  const { database } = await testDatabase();
  await database.query("create table sent (id int, words text, number float8, truth boolean, list text[])");
  const words = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.string({ unit: fc.constantFrom("\\", "\n", "\r", "\t", "N", '"', "{", "}", ",", ".", "'") }),
  );
  // Minus zero comes back as zero, so it is sent as zero.
  const row = fc.record({
    words: fc.option(words.filter((text) => !text.includes("\0") && text.isWellFormed())),
    number: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0)),
    truth: fc.option(fc.boolean()),
    list: fc.array(words.filter((text) => !text.includes("\0") && text.isWellFormed())),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 50 }), async (rows) => {
      const numbered = rows.map((one, id) => ({ id, ...one }));
      await withConnection(database, (connection) =>
        copyRows(connection, "sent", numbered, (one) => [one.id, one.words, one.number, one.truth, one.list]),
      );
      const { rows: stored } = await database.query("delete from sent returning *");
      expect(stored.sort((one, other) => one.id - other.id)).toEqual(numbered);
      const printed = numbered.map((one) => encodeRow([one.id, one.words, one.number])).join("");
      expect(readRows(Buffer.from(printed))).toEqual(
        numbered.map(({ id, words: text, number }) => [String(id), text, number === null ? null : String(number)]),
      );
    }),
    { numRuns: scaled(100, 20) },
  );
});

test("a row that does not fit fails the copy, and the connection goes on", async () => {
  const { database } = await testDatabase();
  await database.query("create table small (number int)");
  await withConnection(database, async (connection) => {
    await expect(copyRows(connection, "small", ["x"], (text) => [text])).rejects.toMatchObject({ code: "22P02" });
    await copyRows(connection, "small", [1, 2], (number) => [number]);
    expect((await connection.query("select count(*) as count from small")).rows).toEqual([{ count: 2 }]);
  });
});
