import { existsSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { testFolder } from "#testing/folder.ts";
import { scaled } from "#testing/scale.ts";
import type { Observation } from "./observation.ts";
import { sortObservations } from "./sort-observations.ts";

const observation = fc.record({
  id: fc.oneof(fc.integer({ min: 1, max: 50 }), fc.maxSafeInteger().map(Math.abs)),
  kind: fc.constantFrom("passport" as const, "credentials" as const, "listed" as const),
  at: fc.constantFrom(null, "2026-01-01T00:00:00.000Z"),
  calculatedAt: fc.constantFrom(null, "2025-01-01T00:00:00.000Z"),
  text: fc.json(),
});

test("returns all observations by id, those of one id in their order", async () => {
  const folder = join(testFolder(), "sorting");
  await fc.assert(
    fc.asyncProperty(fc.array(observation, { maxLength: 80 }), async (input) => {
      const sorted = await collect(sortObservations(read(input), folder));
      expect(sorted).toEqual(input.toSorted((a, b) => a.id - b.id));
      expect(existsSync(folder)).toBe(false);
    }),
    { numRuns: scaled(100, 10) },
  );
});

test("an error of the input is thrown, and leaves no files", async () => {
  const folder = join(testFolder(), "sorting");
  const source = async function* (): AsyncGenerator<Observation> {
    yield { id: 1, kind: "gone", at: null, calculatedAt: null, text: "404" };
    throw new Error("unreadable");
  };
  await expect(collect(sortObservations(source(), folder))).rejects.toThrow("unreadable");
  expect(existsSync(folder)).toBe(false);
});

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

async function* read<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}
