import { expect, test } from "vitest";
import type { UsageCount } from "#usage/record-usage.ts";
import { createUsageBuffer } from "./usage-buffer.ts";

const count = (client: string, requests: number, second: number): UsageCount => ({
  ...{ day: "2027-03-01", client, endpoint: "/api/v1/passports", status: "2xx", requests },
  last_at: `2027-03-01T00:00:0${second}.000Z`,
});

test("adds up what was counted at several times", () => {
  const buffer = createUsageBuffer();
  const mark = { day: "2027-03-01", kind: "origin", value: "https://a.example", requests: 2 } as const;
  buffer.add({ counts: [count("k1", 3, 5), count("k2", 1, 1)], marks: [mark], lost: 0 });
  expect(buffer.add({ counts: [count("k1", 4, 2)], marks: [mark], lost: 7 })).toBe(7);
  expect(buffer.takeBatch()).toEqual({
    counts: [count("k1", 7, 5), count("k2", 1, 1)],
    marks: [{ ...mark, requests: 4 }],
  });
  expect(buffer.takeBatch()).toBeNull();
});

test("memory and batches are bounded", () => {
  const buffer = createUsageBuffer();
  const counts = Array.from({ length: 50_010 }, (_, index) => count(`k${index}`, 2, 0));
  expect(buffer.add({ counts, marks: [], lost: 0 })).toBe(20);
  const sizes = [];
  for (let batch = buffer.takeBatch(); batch !== null; batch = buffer.takeBatch()) sizes.push(batch.counts.length);
  expect(sizes).toEqual([10_000, 10_000, 10_000, 10_000, 10_000]);
  for (let day = 1; day <= 30; day += 1) {
    const values = Array.from({ length: 600 }, (_, index) => ({
      ...({ day: `2027-03-${String(day).padStart(2, "0")}`, kind: "origin" } as const),
      ...{ value: `https://${index}.example`, requests: 1 },
    }));
    buffer.add({ counts: [], marks: values, lost: 0 });
  }
  expect(buffer.takeBatch()?.marks.length).toBeLessThanOrEqual(10_000);
});
