import { describe, expect, test } from "vitest";
import { proveAbuse } from "./abuse.ts";
import { proveHostileFile } from "./hostile-file.ts";
import { proveImportSpeed } from "./import-speed.ts";
import { proveInterruptedImport } from "./interrupted-import.ts";
import { proveKilledWorkers } from "./killed-workers.ts";
import { provePoisonedPeople } from "./poisoned-people.ts";
import { proveReadsDuringImport } from "./reads-during-import.ts";
import { proveRecalculationSpeed } from "./recalculation-speed.ts";
import { proveReplica } from "./replica.ts";
import { proveRoundTrip } from "./round-trip.ts";

// The proofs themselves fail when something is wrong; what is expected here is that they have looked at something.
describe("proofs, at a size for every day", { timeout: 300_000 }, () => {
  test("abuse", async () => {
    const { attacks, cache } = await proveAbuse(0.02);
    for (const { name, attacker, good, server } of attacks) {
      expect(good.lookups, name).toBeGreaterThan(0);
      expect(good, name).toMatchObject({ failures: 0, readiness_failures: 0, reasons: {} });
      expect(server, name).toBeNull();
      expect(attacker?.attempts, name).toBeGreaterThan(0);
      if (!name.startsWith("idle")) expect(attacker?.bytes_sent, name).toBeGreaterThan(0);
    }
    expect(cache.lookups).toBeGreaterThan(0);
  });

  test("import-speed", async () => {
    const proven = await proveImportSpeed(5_000);
    expect(proven.import_peak_mib).toBeLessThan(512);
    expect(proven.generate_peak_mib).toBeLessThan(256);
    // Far below what a large import shows, as a small one has hardly begun when it ends.
    expect(proven.ratio_to_bare_copy).toBeGreaterThan(0.15);
    expect(proven.again_times_faster).toBeGreaterThan(1.5);
  });

  test("interrupted-import", async () => {
    const { killed } = await proveInterruptedImport(6_000, 10);
    expect(killed).toHaveLength(10);
    const halfway = killed.filter(({ people_by_then }) => people_by_then > 0 && people_by_then < 6_000);
    expect(halfway.length).toBeGreaterThan(0);
  });

  test("recalculation-speed", async () => {
    const { watched, four_to_one } = await proveRecalculationSpeed(3_000);
    expect(watched.asked).toBeGreaterThan(40);
    // Most of so short a run is four processes starting.
    expect(four_to_one).toBeGreaterThan(0.2);
  });

  test("killed-workers", async () => {
    const { people_done_at_each } = await proveKilledWorkers(4_000, 10);
    expect(people_done_at_each).toHaveLength(10);
    expect(people_done_at_each.some((done) => done > 0 && done < 4_000)).toBe(true);
  });

  test("poisoned-people", async () => {
    expect(await provePoisonedPeople(2_000)).toMatchObject({ people: 2_000, poisoned: 20 });
  });

  test("replica", async () => {
    const { reads, most_lag_seconds } = await proveReplica(4_000);
    expect(reads).toBeGreaterThan(100);
    expect(most_lag_seconds).toBeGreaterThan(1);
  });

  test("round-trip", async () => {
    const proven = await proveRoundTrip(1_500);
    expect(proven).toMatchObject({ people: 1_500, hidden: expect.any(Number), merged: expect.any(Number) });
    expect(proven.hidden).toBeGreaterThan(0);
    expect(proven.merged).toBeGreaterThan(0);
    expect(proven.found).toBeGreaterThan(6_000);
  });

  test("hostile-file", async () => {
    const { kinds, refused } = await proveHostileFile(10_000);
    expect(Object.values(kinds).every((count) => count > 100)).toBe(true);
    expect(refused).toBeGreaterThan(6_000);
  });

  test("reads-during-import", async () => {
    const { while_importing } = await proveReadsDuringImport(5_000);
    expect(while_importing.requests).toBeGreaterThan(100);
  });
});
