import { randomBytes, randomInt } from "node:crypto";
import { expect, test } from "vitest";
import { connectTo } from "#testing/connect-to.ts";
import { person } from "#testing/people.ts";
import { scaled } from "#testing/scale.ts";
import { serving } from "#testing/serving.ts";
import { whenDone } from "#testing/when-done.ts";
import { createUsageCounter } from "./usage-counter.ts";

const REQUESTS = scaled(100_000, 3_000);
const WORDS = ["api", "v2", "passports", "passport_credentials", "score"];
const MAX_PATHS = 500;

test(`${REQUESTS} requests to unknown paths with wallets and names: none of them is stored, shown or logged`, {
  timeout: 600_000,
}, async () => {
  const usage = createUsageCounter();
  const { address, privateAddress, logs } = await serving([person(1)], { usage });
  const { send, close } = connectTo(address);
  whenDone(close);
  const secret = () => randomBytes(3).toString("hex");
  const parts = () => [`0x${secret().padEnd(40, "5ec2e7")}`, `ada-${secret()}-5ec2e7`, `5ec2e7%20${secret()}`];
  const statuses = new Set<number>();
  for (let sent = 0; sent < REQUESTS; sent += 100) {
    await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const words = Array.from({ length: 1 + (index % 4) }, () => {
          const choices = [...WORDS, ...parts()];
          return choices[randomInt(choices.length)] as string;
        });
        const path = `/${words.join("/")}?keyword=${parts()[1]}`;
        statuses.add((await send("GET", path, {})).status);
      }),
    );
  }
  expect([...statuses].sort()).toEqual([200, 400, 404].filter((status) => statuses.has(status)));
  expect([400, 404].every((status) => statuses.has(status))).toBe(true);
  const { marks } = usage.take();
  const paths = marks.filter(({ kind }) => kind === "path");
  expect(paths.length).toBeGreaterThan(10);
  expect(paths.length).toBeLessThanOrEqual(MAX_PATHS);
  expect(paths.reduce((sum, { requests }) => sum + requests, 0)).toBeGreaterThan(REQUESTS / 2);
  const metrics = await (await fetch(`${privateAddress}/metrics`)).text();
  const shapes = [...metrics.matchAll(/credence_unknown_paths_total\{shape="(\w+)"\}/g)].map(([, shape]) => shape);
  expect(shapes.sort()).toEqual(["credentials", "list", "other", "passport", "score"]);
  for (const text of [JSON.stringify(marks), metrics, logs.join("\n")]) expect(text).not.toMatch(/5ec2e7|ada-/);
});
