import { expect, test } from "vitest";
import { workOnRequests } from "#app/work/work.ts";
import { readConfig } from "#core/config/config.ts";
import { listWorkers } from "#core/process/worker-processes.ts";
import { diagnose } from "#doctor/diagnose.ts";
import { processRequests } from "#holders/manage/process-requests.ts";
import type { HolderSettings } from "#holders/manage/settings.ts";
import { openHolderRequests } from "#holders/serve/requests.ts";
import { savePeople } from "#people/write/save-people.ts";
import { HOLDERS_ON, signRequest } from "#testing/holders.ts";
import { person } from "#testing/people.ts";
import { serving } from "#testing/serving.ts";
import { solanaWallet } from "#testing/wallets.ts";
import { whenDone } from "#testing/when-done.ts";

const wallet = solanaWallet("ada");
const { database, privateAddress } = await serving([person(1, { main_wallet: wallet.address })]);
const { enqueue } = openHolderRequests(database);

/** A worker, until `stop`. */
function startWorker(settings: Partial<HolderSettings>) {
  const stopping = new AbortController();
  const working = workOnRequests(database, {
    holders: { ...HOLDERS_ON, ...settings },
    onRequests: () => {},
    onFailure: (_job, error) => {
      throw error;
    },
    signal: stopping.signal,
  });
  const stop = async () => {
    stopping.abort();
    await working;
  };
  whenDone(stop);
  return stop;
}

async function adviceOf(name: string): Promise<string | undefined> {
  const checks = await diagnose(database, readConfig({}));
  return checks.find((check) => check.name === name)?.advice;
}

async function metricsOf(...names: string[]): Promise<number[]> {
  const text = await (await fetch(`${privateAddress}/metrics`)).text();
  return names.map((name) => Number(new RegExp(`^credence_${name} (.*)$`, "m").exec(text)?.[1]));
}

test("doctor and metrics say why requests of holders wait", async () => {
  expect(await adviceOf("requests")).toBeUndefined();
  await enqueue(signRequest(wallet, "hide"));
  await database.query("update holder_request set received_at = now() - interval '3 minutes'");
  expect(await adviceOf("requests")).toContain("no worker runs");
  const stopKeyless = startWorker({ keys: [], optOutKey: null });
  await expect.poll(() => adviceOf("requests")).toContain("No worker verifies them");
  expect(await metricsOf("workers", "workers_verifying", "workers_erasing", "holder_requests_waiting")).toEqual([
    1, 0, 0, 1,
  ]);
  expect((await metricsOf("holder_requests_waiting_seconds"))[0]).toBeGreaterThan(179);
  await stopKeyless();
  expect(await listWorkers(database)).toEqual([]);
  const stop = startWorker({});
  await expect.poll(() => adviceOf("requests")).toBeUndefined();
  expect(await metricsOf("workers_verifying", "workers_erasing", "holder_requests_waiting")).toEqual([1, 1, 0]);
  await stop();
});

test("doctor and metrics report overdue erasures, and requests that cannot be verified", async () => {
  await savePeople(database, [person(2, { main_wallet: solanaWallet("bob").address })]);
  const bob = solanaWallet("bob");
  const work = (settings: Partial<HolderSettings> = {}) =>
    processRequests(database, { ...HOLDERS_ON, ...settings }, (error) =>
      expect(String(error)).toContain("signed for another"),
    );
  const report = async () => {
    const stop = startWorker({ optOutKey: null, domain: "other.example" });
    await expect.poll(() => listWorkers(database)).toHaveLength(1);
    const advice = await adviceOf("requests");
    await stop();
    return advice;
  };
  await enqueue(signRequest(bob, "erase"));
  await work({ domain: "other.example" });
  await database.query("update holder_request set received_at = received_at - interval '3 minutes'");
  expect(await report()).toContain("another PUBLIC_URL or HOLDER_KEY");
  await database.query("update holder_request set retry_at = now()");
  await work();
  await database.query("update holder_request set due_at = now() - interval '6 minutes' where state = 'waiting'");
  expect(await report()).toContain("overdue: 1; no running worker has OPT_OUT_KEY");
  expect(await adviceOf("clock")).toBeUndefined();
});
