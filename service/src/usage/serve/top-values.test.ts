import { expect, test } from "vitest";
import { createTopValues } from "./top-values.ts";

test("counts exactly while there is room, and starts again after each take", () => {
  const top = createTopValues(3);
  for (const value of ["a", "b", "a", "c", "a"]) top.add(value);
  top.add("b", 5);
  expect(top.take()).toEqual([
    ["a", 3],
    ["b", 6],
    ["c", 1],
  ]);
  expect(top.take()).toEqual([]);
});

test("keeps a frequent value during a flood of rare ones, with a bounded error", () => {
  const top = createTopValues(500);
  for (let index = 0; index < 100_000; index += 1) {
    top.add(`rare ${index}`);
    if (index % 50 === 0) top.add("frequent");
  }
  const values = new Map(top.take());
  expect(values.size).toBeLessThanOrEqual(500);
  expect(values.get("frequent")).toBeLessThanOrEqual(2_000);
  expect(values.get("frequent")).toBeGreaterThanOrEqual(2_000 - 102_000 / 500);
});

test("a value with a large count displaces values with small ones", () => {
  const top = createTopValues(2);
  top.add("a", 3);
  top.add("b", 10);
  top.add("c", 8);
  expect(top.take()).toEqual([
    ["b", 7],
    ["c", 5],
  ]);
});
