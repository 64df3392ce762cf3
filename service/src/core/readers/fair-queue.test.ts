import { describe, expect, test, vi } from "vitest";
import { Overloaded } from "#core/database/failures.ts";
import { createFairQueue } from "./fair-queue.ts";

/** Starts jobs that end when `finish` is called. */
function open(client: number, total = client) {
  const queue = createFairQueue("test", { maxRunning: 1, maxWaiting: { client, total }, maxWaitMs: 3_500 });
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const results = new Map<string, Promise<string>>();
  const run = (client: string, name: string) => {
    const result = queue
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
  return { queue, run, started, results, finishAll };
}

describe("createFairQueue", () => {
  test("runs jobs in order, and rejects beyond its limits", async () => {
    const { queue, run, started, results, finishAll } = open(2);
    for (const name of ["1", "2", "3", "4"]) run("a", name);
    expect(await results.get("4")).toBe("rejected");
    expect(queue.waiting()).toBe(2);
    await finishAll();
    expect(started).toEqual(["1", "2", "3"]);
    expect([queue.waiting(), queue.rejected()]).toEqual([0, 1]);
    run("a", "5");
    await finishAll();
    expect(await results.get("5")).toBe("done");
  });

  test("clients take turns: a job behind 250 of another client is the second to start", async () => {
    const { run, started, results, finishAll } = open(250, 500);
    for (let index = 0; index <= 250; index += 1) run("greedy", `greedy ${index}`);
    run("good", "good 0");
    run("good", "good 1");
    await finishAll();
    expect(started.slice(0, 5)).toEqual(["greedy 0", "greedy 1", "good 0", "greedy 2", "good 1"]);
    expect(await Promise.all(results.values())).toEqual(Array(253).fill("done"));
  });

  test("if all places are taken, the client with the most jobs gives way", async () => {
    const { run, results, finishAll } = open(16);
    for (let index = 0; index < 80; index += 1) run("greedy", `greedy ${index}`);
    for (let index = 0; index < 5; index += 1) run("good", `good ${index}`);
    await finishAll();
    const outcomes = await Promise.all([...results].map(async ([name, result]) => [name, await result] as const));
    const done = (client: string) => outcomes.filter(([name, result]) => name.startsWith(client) && result === "done");
    expect(done("good")).toHaveLength(5);
    expect(done("greedy")).toHaveLength(12);
  });

  test("a job that waited longer than a request may take is rejected, and not run", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    try {
      const { queue, run, started, results, finishAll } = open(3);
      run("a", "1");
      run("a", "2");
      vi.advanceTimersByTime(3_500);
      run("a", "3");
      await finishAll();
      expect(started).toEqual(["1", "3"]);
      expect(await results.get("2")).toBe("rejected");
      expect([queue.waiting(), queue.rejected()]).toEqual([0, 1]);
    } finally {
      vi.useRealTimers();
    }
  });

  test("clients with the same number of jobs do not displace each other", async () => {
    const { run, results, finishAll } = open(3);
    for (const client of ["a", "b", "c", "d"]) run(client, client);
    run("e", "e");
    expect(await results.get("e")).toBe("rejected");
    await finishAll();
    expect(await Promise.all(["a", "b", "c", "d"].map((name) => results.get(name)))).toEqual(Array(4).fill("done"));
  });

  test("a failed job leaves the queue", async () => {
    const queue = createFairQueue("test", { maxRunning: 1, maxWaiting: { client: 0, total: 0 }, maxWaitMs: 3_500 });
    const fail = () => queue.run("a", () => Promise.reject(new Error("failed")));
    await expect(fail()).rejects.toThrow("failed");
    await expect(fail()).rejects.toThrow("failed");
  });
});
