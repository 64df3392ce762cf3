import { styleText } from "node:util";
import type { Group } from "./groups.ts";
import type { ReplayReport } from "./replay.ts";

const paint = (style: "bold" | "red" | "green" | "dim", text: string): string =>
  styleText(style, text, { stream: process.stdout, validateStream: true });

const COUNTED_APART: readonly Group["explanation"][] = [null, "decided", "accepted"];

const SECTIONS: readonly [title: string, includes: (group: Group) => boolean][] = [
  ["Differences in form", (group) => group.class === "form" && group.explanation === null],
  ["Unexplained differences in data", (group) => group.class === "data" && group.explanation === null],
  ["Differences that were decided", (group) => group.explanation === "decided"],
  ["Differences that you accept", (group) => group.explanation === "accepted"],
  ["Explained differences", (group) => !COUNTED_APART.includes(group.explanation)],
];

/** The report as text. `file` is the name of the log, for the line numbers; null: there is none. */
export function printReport(report: ReplayReport, file: string | null, areValuesShown: boolean): string {
  const { groups } = report;
  return [
    ...SECTIONS.flatMap(([title, includes]) => printSection(title, groups.filter(includes))),
    ...printCounts("Skipped", report.skipped),
    ...printCounts(
      "The most frequent skipped paths",
      Object.fromEntries(Object.entries(report.skippedPaths).slice(0, MAX_PATHS)),
    ),
    ...printCounts("Requests that were sent again", report.retried),
    ...printCounts("Query parameters that were not sent", report.removedParameters),
    ...printCounts("Other headers that only OLD sends", report.headersOnlyOnOld),
    ...printCounts("Differences that --accept accepts", report.accepted),
    ...(groups.length > 0 ? [[...describeFile(file), ...(areValuesShown ? [] : [HOW_TO_SHOW])].join(" "), ""] : []),
    summarize(report),
  ].join("\n");
}

const describeFile = (file: string | null): string[] =>
  file === null ? [] : [`Line numbers refer to ${file === "-" ? "standard input" : JSON.stringify(file)}.`];

const MAX_PATHS = 10;
const HOW_TO_SHOW = "Values are masked: --show-values prints them.";

function printSection(title: string, groups: readonly Group[]): string[] {
  if (groups.length === 0) return [];
  const width = (texts: readonly string[]) => Math.max(...texts.map(({ length }) => length));
  const kinds = width(groups.map(describeKind));
  const fields = width(groups.map(describeField));
  const lines = groups.flatMap((group) => {
    const { responses, example } = group;
    const row = `${describeKind(group).padEnd(kinds)}  ${describeField(group).padEnd(fields)}  ${count(responses, "response")}`;
    const details = [
      `OLD ${example.old}, NEW ${example.new}`,
      ...(group.decision === undefined ? [] : [`decided: ${group.decision}`]),
      ...(group.accepted === undefined ? [] : [`accepted: ${group.accepted}`]),
      `line ${example.line}: ${example.curlOld}`,
      example.curlNew,
    ];
    return [row, ...details.map((line) => paint("dim", `    ${line}`))];
  });
  return [paint("bold", `${title}: ${groups.length}`), ...lines, ""];
}

const describeKind = ({ kind, explanation }: Group): string =>
  COUNTED_APART.includes(explanation) ? kind : `${kind} (${explanation})`;
const describeField = ({ endpoint, field }: Group): string => (field === "" ? endpoint : `${endpoint} ${field}`);

function printCounts(title: string, counts: Readonly<Record<string, number>>): string[] {
  const entries = Object.entries(counts);
  return entries.length === 0 ? [] : [paint("bold", title), ...entries.map(([name, n]) => `${name}: ${n}`), ""];
}

function summarize(report: ReplayReport): string {
  const { lines, replayed, repeated, compared, requests, groups, isSafe, stopped, underOtherPrefix } = report;
  const size = (section: number) => groups.filter((group) => SECTIONS[section]?.[1](group)).length;
  const verdict = isSafe
    ? paint(
        stopped === null ? "green" : "bold",
        `No difference in form, and no unexplained difference in data${describeAccepted(report)}${stopped === null ? "" : " so far"}.`,
      )
    : paint("red", `${size(0)} kinds of differences in form, ${size(1)} unexplained kinds of differences in data.`);
  const elsewhere =
    underOtherPrefix === 0
      ? ""
      : `\n${paint("red", `Requests for V1 under another prefix, which were not compared: ${underOtherPrefix}. See the skipped paths, and --prefix.`)}`;
  const end = stopped === null ? "" : `\n${paint("red", `Not complete: ${stopped}`)}`;
  return `${count(lines, "line")}, ${count(replayed, "request")} replayed, ${repeated} repeated, ${compared} compared; ${requests.old} requests to OLD, ${requests.new} to NEW. ${verdict}${elsewhere}${end}`;
}

const describeAccepted = ({ accepted }: ReplayReport): string => {
  const kinds = Object.keys(accepted).filter((kind) => accepted[kind] !== 0);
  return kinds.length === 0 ? "" : `, but those that you accept (${kinds.join(", ")})`;
};

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;
