import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { vi } from "vitest";
import { parse } from "yaml";
import { testFolder } from "../../service/testing/folder.ts";
import { findFreePorts } from "../../service/testing/free-ports.ts";
import { showOnFailure } from "../../service/testing/show-on-failure.ts";
import { whenDone } from "../../service/testing/when-done.ts";

export type Rule = { alert: string; expr: string; for?: string; labels: { severity: string } };
type RuleFile = { groups: { name: string; rules: Rule[] }[] };

const RULES_FILE = new URL("../prometheus/credence.rules.yml", import.meta.url);

const readRules = (): RuleFile => parse(readFileSync(RULES_FILE, "utf8"));
export const listRules = (): Rule[] => readRules().groups.flatMap((group) => group.rules);

/** The names of the metrics in an expression. */
export const listMetricNames = (expr: string): string[] => [...new Set(expr.match(/\b(?:credence|process)_\w+/g))];

export type Prometheus = {
  /** The values of an expression now. */
  query: (expr: string) => Promise<string[]>;
  listFiring: () => Promise<string[]>;
};

/** Starts Prometheus with our rules, which fire at once: without their `for`. It ends after the test. */
export async function startPrometheus(privateAddresses: readonly string[]): Promise<Prometheus> {
  const folder = testFolder();
  const [port] = await findFreePorts(1);
  const rules = readRules();
  for (const rule of rules.groups.flatMap((group) => group.rules)) delete rule.for;
  const targets = privateAddresses.map((address) => new URL(address).host);
  await writeFile(join(folder, "rules.yml"), JSON.stringify(rules));
  await writeFile(
    join(folder, "prometheus.yml"),
    JSON.stringify({
      global: { scrape_interval: "500ms", scrape_timeout: "500ms", evaluation_interval: "500ms" },
      rule_files: ["rules.yml"],
      scrape_configs: [{ job_name: "credence", static_configs: [{ targets }] }],
    }),
  );
  const child = spawn(
    "prometheus",
    [
      `--config.file=${folder}/prometheus.yml`,
      `--storage.tsdb.path=${folder}/data`,
      `--web.listen-address=127.0.0.1:${port}`,
      "--log.level=warn",
    ],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  let output = "";
  child.stderr.on("data", (chunk) => (output += chunk));
  child.on("error", (error) => (output += `${error}. Tests need Prometheus.`));
  showOnFailure("prometheus", () => output);
  const ended = once(child, "close").catch(() => {});
  whenDone(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  const get = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    if (!response.ok) throw new Error(`${response.status} for ${path}: ${await response.text()}`);
    return response.json();
  };
  const isReady = () =>
    get("/api/v1/status/runtimeinfo").then(
      () => true,
      () => false,
    );
  await vi.waitUntil(isReady, { timeout: 90_000, interval: 50 });
  return {
    query: async (expr) => {
      const { data } = (await get(`/api/v1/query?query=${encodeURIComponent(expr)}`)) as {
        data: { result: { value: [number, string] }[] };
      };
      return data.result.map(({ value: [, value] }) => value);
    },
    listFiring: async () => {
      const { data } = (await get("/api/v1/alerts")) as {
        data: { alerts: { state: string; labels: { alertname: string } }[] };
      };
      return [...new Set(data.alerts.filter(({ state }) => state === "firing").map(({ labels }) => labels.alertname))];
    },
  };
}

export type SeriesTest = {
  interval: string;
  input_series: { series: string; values: string }[];
  alert_rule_test: { eval_time: string; alertname: string; exp_alerts: unknown[] }[];
};

/** Runs tests of our rules with promtool. Throws with its output if one fails. */
export async function testRules(
  tests: readonly SeriesTest[],
  evaluation_interval = "1m",
  rules = RULES_FILE,
): Promise<void> {
  const file = join(testFolder(), "tests.yml");
  await writeFile(file, JSON.stringify({ rule_files: [rules.pathname], evaluation_interval, tests }));
  await promisify(execFile)("promtool", ["test", "rules", file]).catch(({ stdout, stderr }) => {
    throw new Error(stdout + stderr);
  });
}
