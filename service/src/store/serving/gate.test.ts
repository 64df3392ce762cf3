import { describe, expect, test } from "vitest";
import { Overloaded } from "#store/engine/failures.ts";
import { createGate } from "./gate.ts";

/** Starts jobs that end when `finish` is called. */
function open(maxRunning: number, maxWaiting: number) {
  const gate = createGate("test", maxRunning, maxWaiting);
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const results = new Map<string, Promise<string>>();
  const run = (client: string, name: string) => {
    const result = gate
      .run(client, async () => {
        started.push(name);
        await new Promise<void>((resolve) => ends.push(resolve));
        return "done";
      })
      .catch((error) => (error instanceof Overloaded ? "rejected" : Promise.reject(error)));
    results.set(name, result);
  };
  const finishAll = async () => {
    // A job starts after a turn.
    await new Promise(setImmediate);
    while (ends.length > 0) {
      ends.shift()?.();
      await new Promise(setImmediate);
    }
  };
  return { gate, run, started, results, finishAll };
}

describe("createGate", () => {
  test("runs jobs in order, and rejects beyond its limits", async () => {
    const { gate, run, started, results, finishAll } = open(1, 2);
    for (const name of ["1", "2", "3", "4"]) run("a", name);
    expect(await results.get("4")).toBe("rejected");
    expect(gate.waiting()).toBe(2);
    await finishAll();
    expect(started).toEqual(["1", "2", "3"]);
    expect([gate.waiting(), gate.rejected()]).toEqual([0, 1]);
    run("a", "5");
    await finishAll();
    expect(await results.get("5")).toBe("done");
  });

  test("a client alone can use all of it, and gives way to others", async () => {
    const { run, results, finishAll } = open(1, 16);
    for (let at = 0; at < 80; at += 1) run("greedy", `greedy ${at}`);
    for (let at = 0; at < 5; at += 1) run("good", `good ${at}`);
    await finishAll();
    const outcomes = await Promise.all([...results].map(async ([name, result]) => [name, await result] as const));
    const done = (client: string) => outcomes.filter(([name, result]) => name.startsWith(client) && result === "done");
    expect(done("good")).toHaveLength(5);
    expect(done("greedy")).toHaveLength(12);
  });

  test("clients with the same number of jobs do not displace each other", async () => {
    const { run, results, finishAll } = open(1, 3);
    for (const client of ["a", "b", "c", "d"]) run(client, client);
    run("e", "e");
    expect(await results.get("e")).toBe("rejected");
    await finishAll();
    expect(await Promise.all(["a", "b", "c", "d"].map((name) => results.get(name)))).toEqual(Array(4).fill("done"));
  });

  test("a failed job leaves the gate", async () => {
    const gate = createGate("test", 1, 0);
    const fail = () => gate.run("a", () => Promise.reject(new Error("failed")));
    await expect(fail()).rejects.toThrow("failed");
    await expect(fail()).rejects.toThrow("failed");
  });
});
