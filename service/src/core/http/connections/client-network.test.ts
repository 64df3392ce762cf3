import { expect, test } from "vitest";
import { clientNetwork } from "./client-network.ts";

test.each([
  ["192.0.2.7", "192.0.2.7"],
  ["::ffff:192.0.2.7", "192.0.2.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
  ["2001:0db8:0001:0002::9", "2001:db8:1:2"],
  ["2001:db8::1", "2001:db8:0:0"],
  ["2001:db8:1:2::", "2001:db8:1:2"],
  ["::1", "0:0:0:0"],
  ["fe80::1%eth0", "fe80:0:0:0"],
  ["192.0.2.7:5678", "192.0.2.7"],
  ["[2001:db8:1:2::9]:443", "2001:db8:1:2"],
  ["::ffff:999.0.0.1", "unknown"],
  ["1:2:3:4:5:6:7:8::9", "unknown"],
  ["garbage".repeat(1_000), "unknown"],
  ["", "unknown"],
])("clientNetwork(%s) is %s", (address, expected) => {
  expect(clientNetwork(address)).toBe(expected);
});
