import { existsSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { testFolder } from "#testing/folder.ts";
import { scaled } from "#testing/scale.ts";
import type { Observation } from "./observation.ts";
import { sortObservations } from "./sort-observations.ts";

const observation = fc.record({
  id: fc.integer({ min: 1, max: 50 }),
  kind: fc.constantFrom("passport" as const, "credentials" as const, "listed" as const),
  at: fc.constantFrom(null, "2026-01-01T00:00:00.000Z"),
  calculatedAt: fc.constantFrom(null, "2025-01-01T00:00:00.000Z"),
  text: fc.jsonValue().map((value) => JSON.stringify(value)),
});

test("returns all observations by id, from any number of files on several levels", async () => {
  const folder = join(testFolder(), "sorting");
  const sort = async (observations: readonly Observation[], maxRuns: number): Promise<Observation[]> => {
    const source = async function* () {
      yield* observations;
    };
    const sorted: Observation[] = [];
    for await (const item of sortObservations(source(), folder, { runBytes: 100, maxRuns })) sorted.push(item);
    return sorted;
  };
  const byText = (list: readonly Observation[]) => list.map((item) => JSON.stringify(item)).sort();
  await fc.assert(
    fc.asyncProperty(
      fc.array(observation, { maxLength: 80 }),
      fc.integer({ min: 2, max: 5 }),
      async (input, maxRuns) => {
        const sorted = await sort(input, maxRuns);
        expect(sorted.map(({ id }) => id)).toEqual(input.map(({ id }) => id).sort((a, b) => a - b));
        expect(byText(sorted)).toEqual(byText(input));
        expect(existsSync(folder)).toBe(false);
      },
    ),
    { numRuns: scaled(100, 20) },
  );
});
