import { expect, test, vi } from "vitest";
import { createLog } from "#core/process/log.ts";
import { coarseNetworkOf, createSecurityEventLog } from "./security-events.ts";

test("logs an event once a minute per key and network, with the number of events", () => {
  vi.useFakeTimers({ now: 1_000_000, toFake: ["performance"] });
  try {
    const lines: string[] = [];
    const report = createSecurityEventLog(createLog("info", { write: (line) => lines.push(line) }));
    for (let index = 0; index < 100; index += 1) {
      report("an unknown key was refused", { address: `192.0.2.${index}` });
      report("a revoked or expired key was used", { keyId: "k1" });
    }
    report("an unknown key was refused", { address: "198.51.100.1" });
    const logged = () => lines.splice(0).map((line) => JSON.parse(line));
    expect(logged()).toMatchObject([
      { security: "an unknown key was refused", network: "192.0.2.0/24", events: 1 },
      { security: "a revoked or expired key was used", key: "k1", events: 1 },
      { network: "198.51.100.0/24" },
    ]);
    vi.advanceTimersByTime(60_000);
    report("an unknown key was refused", { address: "192.0.2.7" });
    expect(logged()).toMatchObject([{ network: "192.0.2.0/24", events: 100 }]);
  } finally {
    vi.useRealTimers();
  }
});

test.each([
  ["203.0.113.77", "203.0.113.0/24"],
  ["::ffff:203.0.113.77", "203.0.113.0/24"],
  ["2001:db8:1:2:3::4", "2001:db8:1::/48"],
  ["2001:db8::4", "2001:db8:0::/48"],
  ["::1", "0:0:0::/48"],
  [undefined, "unknown"],
])("the network of %s is %s", (address, network) => {
  expect(coarseNetworkOf(address)).toBe(network);
});
