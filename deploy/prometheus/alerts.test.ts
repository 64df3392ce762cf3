import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { upsertWorker } from "../../service/src/core/process/report-worker.ts";
import { issueKey } from "../../service/src/keys/manage/issue-key.ts";
import { hide } from "../../service/testing/decide.ts";
import { holderTests } from "../../service/testing/holder-tests.ts";
import { person } from "../../service/testing/people.ts";
import { relayTo } from "../../service/testing/relay.ts";
import { urlOf } from "../../service/testing/server.ts";
import { type Serving, serveDatabase, serving } from "../../service/testing/serving.ts";
import { whenDone } from "../../service/testing/when-done.ts";
import credence from "../grafana/credence.json" with { type: "json" };
import { dashboard } from "../grafana/dashboard.ts";
import { listMetricNames, listRules, type SeriesTest, startPrometheus, testRules } from "../testing/prometheus.ts";

const ALERTS = listRules().map(({ alert }) => alert);
const QUERIES = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
const DAY_MS = 86_400_000;
const PASSPORT = "/api/v1/passports/1";

/** The samples of a scrape of a real server, as series of one node. */
async function scrape(privateAddress: string): Promise<Map<string, string>> {
  const text = await (await fetch(`${privateAddress}/metrics`)).text();
  const samples = text.split("\n").flatMap((line): [string, string][] => {
    const [, name, labels = "", value] = /^(\w+)(?:{(.*)})? (\S+)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) return [];
    return [[`${name}{${labels && `${labels},`}job="credence",instance="a"}`, value.replace("Nan", "NaN")]];
  });
  return new Map([['up{job="credence",instance="a"}', "1"], ...samples]);
}

/** A quiet, healthy server with a replica, on which V1 is called a little. */
async function startHealthy(): Promise<Serving & { series: Map<string, string> }> {
  const server = await serving([person(1)]);
  await fetch(`${server.address}${PASSPORT}`);
  return { ...server, series: await scrape(server.privateAddress) };
}

/** A test for promtool: the metrics of the server stay as they are, except those in `changed`. */
function testSeries(series: Map<string, string>, minutes: number, changed: Record<string, string>): SeriesTest {
  const named = new Set(listRules().flatMap(({ expr }) => listMetricNames(expr)));
  const isNamed = (name: string) => named.has(name.slice(0, name.indexOf("{"))) || name.startsWith("up{");
  const constant = (name: string, value: string): string =>
    // One request a minute.
    /^credence_http_request(s_total|_duration_seconds_(bucket|count))\{/.test(name)
      ? `${value}+1x${minutes}`
      : `${value}x${minutes}`;
  const input_series = [...series]
    .filter(([name]) => isNamed(name))
    .map(([name, value]) => ({
      series: name,
      values: changed[name.slice(0, name.indexOf("{"))] ?? constant(name, value),
    }));
  return { interval: "1m", input_series, alert_rule_test: [] };
}

const silent = (at: string) => ALERTS.map((alertname) => ({ eval_time: at, alertname, exp_alerts: [] as unknown[] }));

describe("the rules", () => {
  test("docs/reference/monitoring.md says for each what to do", () => {
    const page = readFileSync(new URL("../../docs/reference/monitoring.md", import.meta.url), "utf8");
    const severities = listRules().map(({ alert, labels }) => `\n**${alert}** (${labels.severity}). `);
    expect(severities.filter((start) => !page.includes(start))).toEqual([]);
  });

  test("there are at most 13, and every metric of a rule or panel exists on a real server", async () => {
    expect(ALERTS.length).toBeLessThanOrEqual(13);
    expect(dashboard.panels.length).toBeLessThanOrEqual(12);
    const { series } = await startHealthy();
    const existing = new Set([...series.keys()].map((name) => name.slice(0, name.indexOf("{"))));
    const named = [...listRules().map(({ expr }) => expr), ...QUERIES].flatMap(listMetricNames);
    // These exist with a replica, or once they were counted, and while a state lies ahead.
    const conditional = [
      "credence_replica_used",
      "credence_unknown_paths_total",
      "credence_v1_next_state_timestamp_seconds",
    ];
    expect([...new Set(named)].filter((name) => !existing.has(name) && !conditional.includes(name))).toEqual([]);
  });

  test("a healthy system raises none in a week: quiet, or with a worker that cron starts every hour", async () => {
    const { series } = await startHealthy();
    const week = 7 * 1440;
    const hourly = Array.from({ length: 168 }, () => "0+60x59").join(" ");
    const quiet = testSeries(series, week, { credence_standing_age_seconds: `0+60x${week}` });
    const byCron = testSeries(series, week, {
      credence_standing_unlisted_seconds: hourly,
      credence_holder_requests_waiting_seconds: hourly,
      credence_workers: Array.from({ length: 168 }, () => "1 0x58").join(" "),
    });
    const days = ["1h", "1d", "3d", "5d", "6d23h"].flatMap(silent);
    await testRules(
      [quiet, byCron].map((found) => ({ ...found, alert_rule_test: days })),
      "10m",
    );
  });

  test("an outage of the database is reported, and does not end the alerts of waiting work", async () => {
    const { series } = await startHealthy();
    const outage = testSeries(series, 40, {
      credence_ready: "1x20 0x7 1x12",
      credence_standing_unlisted_seconds: `8000x20 ${"NaN ".repeat(8)} 8000x12`,
    });
    const notReady = {
      exp_labels: { job: "credence", instance: "a", severity: "page" },
      exp_annotations: { summary: "a runs, but cannot serve." },
    };
    const behind = {
      exp_labels: { job: "credence", severity: "ticket" },
      exp_annotations: { summary: "A change of people has not been in the list for 2h 13m 20s." },
    };
    const clock = testSeries(series, 20, { credence_clock_difference_seconds: "-90x20" });
    const wrong = {
      exp_labels: { job: "credence", instance: "a", severity: "ticket" },
      exp_annotations: { summary: "The clock of a differs from the database's by 1m 30s." },
    };
    const undecided = testSeries(series, 20, { credence_holder_requests_in_review_seconds: "260000x20" });
    const waiting = {
      exp_labels: { job: "credence", severity: "ticket" },
      exp_annotations: {
        summary: "Requests of holders wait for a worker, or for three days for a decision, or erasures are overdue.",
      },
    };
    await testRules([
      {
        ...undecided,
        alert_rule_test: [{ eval_time: "10m", alertname: "CredenceRequestsWait", exp_alerts: [waiting] }],
      },
      {
        ...outage,
        alert_rule_test: [
          { eval_time: "19m", alertname: "CredenceNotReady", exp_alerts: [] },
          { eval_time: "25m", alertname: "CredenceNotReady", exp_alerts: [notReady] },
          ...["19m", "25m", "35m"].map((eval_time) => ({
            eval_time,
            alertname: "CredenceListBehind",
            exp_alerts: [behind],
          })),
        ],
      },
      { ...clock, alert_rule_test: [{ eval_time: "10m", alertname: "CredenceClockWrong", exp_alerts: [wrong] }] },
    ]);
  });
});

describe("in a Prometheus that scrapes real servers", () => {
  test("every query of the dashboard has a value, no alert fires at first, and 12 fire for faults", async () => {
    const sunset = { V1_SUNSET_AT: new Date(Date.now() + 30 * DAY_MS).toISOString() };
    const healthy = await serving([person(1), person(2)], {
      environment: { ...sunset, AUTH_MODE: "open", MAX_CONNECTIONS_PER_ADDRESS: "20" },
    });
    const { database, address } = healthy;
    const relay = await relayTo(urlOf("postgres"));
    const cutOff = await serveDatabase(healthy.name, { through: relay.through });
    const replica = await relayTo(urlOf("postgres"));
    replica.set("cut");
    const withReplica = await serveDatabase(healthy.name, { readUrl: replica.through(urlOf(healthy.name)) });
    const stopped = await serveDatabase(healthy.name);
    const prometheus = await startPrometheus(
      [healthy, cutOff, withReplica, stopped].map(({ privateAddress }) => privateAddress),
    );

    const call = (base: string) => fetch(`${base}${PASSPORT}`).then((response) => response.text());
    for (const query of QUERIES) {
      await expect
        .poll(
          async () => {
            await Promise.all([call(address), fetch(`${address}/old/passports/1`)]);
            return (await prometheus.query(query)).filter((value) => value !== "NaN").length;
          },
          { message: query },
        )
        .toBeGreaterThan(0);
    }
    // A scrape that was late on a busy machine fires an alert that ends by itself.
    await expect.poll(prometheus.listFiring, { timeout: 30_000 }).toEqual(["CredenceReplicaUnused"]);

    await stopped.stop(0);
    relay.set("cut");
    await hide(database, [2]);
    await database.query("update standing_epoch set built_at = now() - interval '1 day'");
    await database.query("update people_change set unlisted_since = now() - interval '3 hours'");
    const holder = await holderTests(database).prepare();
    await holder.send(holder.main, "hide");
    await database.query("update holder_request set received_at = now() - interval '3 hours'");
    await upsertWorker(database, randomUUID(), { verifies: true, erases: true }, { ageMs: null, isOlder: true });
    await issueKey(database, { label: "test", contact: "test", expiresAt: new Date(Date.now() + 7 * DAY_MS) });

    const fired = new Set<string>();
    await expect
      .poll(async () => {
        await Promise.all([fail(cutOff.address), crowd(address), beSlow(healthy)]);
        for (const alert of await prometheus.listFiring()) fired.add(alert);
        return ALERTS.filter((alert) => !fired.has(alert));
      })
      .toEqual(["CredenceClockWrong"]);
  });

  test("credence.json is what `npm run dashboard` writes", () => {
    expect(credence).toEqual(dashboard);
  });
});

/** Requests that fail. */
const fail = (address: string) => Promise.all(Array.from({ length: 10 }, () => fetch(`${address}${PASSPORT}`)));

/** More connections than one address may have. */
async function crowd(address: string): Promise<void> {
  const { port, hostname } = new URL(address);
  const sockets = Array.from({ length: 60 }, () => connect(Number(port), hostname).on("error", () => {}));
  whenDone(() => {
    for (const socket of sockets) socket.destroy();
  });
  await Promise.all(sockets.slice(-10).map((socket) => once(socket, "close")));
  for (const socket of sockets) socket.destroy();
}

/** A look-up that waits for a lock. */
async function beSlow({ database, address }: Serving): Promise<void> {
  const connection = await database.connect();
  try {
    await connection.query("begin; lock table passport_document in access exclusive mode");
    const slow = fetch(`${address}${PASSPORT}?${Math.random()}`).catch(() => {});
    await connection.query("select pg_sleep(0.5)");
    await connection.query("commit");
    await slow;
  } finally {
    connection.release();
  }
}
