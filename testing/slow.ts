import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import type { TestEvent } from "../service/testing/count-events.ts";

// `npm run test:slow`: runs the tests and lists the slowest files. Arguments are those of vitest.

const SHOWN = 30;

type Counts = { wallMs: number; cpuMs: number; processes: number; databases: number };

const folder = mkdtempSync(join(tmpdir(), "credence-slow-"));
const events = join(folder, "events");
try {
  const { status } = spawnSync("npx", ["vitest", "run", ...process.argv.slice(2)], {
    // biome-ignore lint/style/noProcessEnv: a child needs PATH and the like.
    env: { ...process.env, CREDENCE_TEST_EVENTS: events },
    stdio: "inherit",
  });
  if (existsSync(events)) print(readEvents(readFileSync(events, "utf8")));
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true });
}

function readEvents(text: string): Map<string, Counts> {
  const files = new Map<string, Counts>();
  for (const line of text.trimEnd().split("\n")) {
    const [event, ...rest] = line.split(" ");
    const detail = rest.join(" ");
    const ended = event === "ended" ? (JSON.parse(detail) as { file: string; wallMs: number; cpuMs: number }) : null;
    const file = ended?.file ?? detail;
    const counts = files.get(file) ?? { wallMs: 0, cpuMs: 0, processes: 0, databases: 0 };
    if (ended !== null) Object.assign(counts, { wallMs: ended.wallMs, cpuMs: ended.cpuMs });
    if ((event as TestEvent) === "process") counts.processes += 1;
    if ((event as TestEvent) === "database") counts.databases += 1;
    files.set(file, counts);
  }
  return files;
}

function print(files: ReadonlyMap<string, Counts>): void {
  const rows = [...files].sort(([, a], [, b]) => b.wallMs - a.wallMs);
  const sum = (count: (counts: Counts) => number) => rows.reduce((total, [, counts]) => total + count(counts), 0);
  const row = (wallMs: number, cpuMs: number, processes: number, databases: number, name: string) =>
    [(wallMs / 1_000).toFixed(1), (cpuMs / 1_000).toFixed(1), processes, databases]
      .map((value) => String(value).padStart(10))
      .join("")
      .concat(`  ${name}`);
  const lines = [
    `${["wall s", "CPU s", "starts", "databases"].map((title) => title.padStart(10)).join("")}  file`,
    ...rows
      .slice(0, SHOWN)
      .map(([file, { wallMs, cpuMs, processes, databases }]) =>
        row(wallMs, cpuMs, processes, databases, relative(process.cwd(), file) || "(set-up)"),
      ),
    row(
      sum(({ wallMs }) => wallMs),
      sum(({ cpuMs }) => cpuMs),
      sum(({ processes }) => processes),
      sum(({ databases }) => databases),
      `all ${rows.length} files`,
    ),
  ];
  process.stdout.write(
    `\nCPU time is that of the test process and of its ended child processes. Starts are processes of Node.\n${lines.join("\n")}\n`,
  );
}
