import fc from "fast-check";
import { expect, test } from "vitest";
import { testDatabase } from "#testing/database.ts";
import { scaled } from "#testing/scale.ts";
import { copyRows, encodeRow, readRows } from "./copy.ts";
import { withConnection } from "./database.ts";

test("stores and reads back every value unchanged", async () => {
  const { database } = await testDatabase();
  await database.query("create table sent (id int, words text, number float8, truth boolean, list text[])");
  const words = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.string({ unit: fc.constantFrom("\\", "\n", "\r", "\t", "N", '"', "{", "}", ",", ".", "'") }),
  );
  // Adding 0 turns -0 into 0, as String(-0) is "0".
  const row = fc.record({
    words: fc.option(words.filter((text) => !text.includes("\0") && text.isWellFormed())),
    number: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0)),
    truth: fc.option(fc.boolean()),
    list: fc.array(words.filter((text) => !text.includes("\0") && text.isWellFormed())),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 50 }), async (rows) => {
      const numbered = rows.map((values, id) => ({ id, ...values }));
      await withConnection(database, (connection) =>
        copyRows(connection, "sent", numbered, ({ id, words, number, truth, list }) => [
          id,
          words,
          number,
          truth,
          list,
        ]),
      );
      const { rows: stored } = await database.query("delete from sent returning *");
      expect(stored.sort((a, b) => a.id - b.id)).toEqual(numbered);
      const encoded = numbered.map(({ id, words, number }) => encodeRow([id, words, number])).join("");
      expect(readRows(Buffer.from(encoded))).toEqual(
        numbered.map(({ id, words, number }) => [String(id), words, number === null ? null : String(number)]),
      );
    }),
    { numRuns: scaled(100, 20) },
  );
});

test("an invalid row fails the copy, and the connection stays usable", async () => {
  const { database } = await testDatabase();
  await database.query("create table small (number int)");
  await withConnection(database, async (connection) => {
    await expect(copyRows(connection, "small", ["x"], (text) => [text])).rejects.toMatchObject({ code: "22P02" });
    await copyRows(connection, "small", [1, 2], (number) => [number]);
    expect((await connection.query("select count(*) as count from small")).rows).toEqual([{ count: 2 }]);
  });
});
