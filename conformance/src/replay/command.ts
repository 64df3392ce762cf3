import { open } from "node:fs/promises";
import { addAbortSignal, Readable } from "node:stream";
import type { Client } from "../client.ts";
import { LIST } from "../sample.ts";
import type { Acceptable } from "./accepted-differences.ts";
import { Server } from "./ask.ts";
import { listRequests, requireLists } from "./list-requests.ts";
import { curlLine, maskValue, showValue } from "./mask.ts";
import { printReport } from "./print-report.ts";
import { showProgress } from "./progress.ts";
import { Replay, type ReplayReport } from "./replay.ts";

type Side = { client: Client; url: string; hasKey: boolean };
export type ReplayOptions = {
  /** A log, or - for standard input. Null: the requests are made from this many pages of the old server's list. */
  file: string | null;
  pages: number;
  old: Side;
  new: Side;
  parameters: readonly string[];
  showValues: boolean;
  json: boolean;
  signal: AbortSignal;
  /** The path of V1 in the log and on both servers. */
  prefix: string;
  /** Differences that follow from decisions count too. */
  isStrict: boolean;
  /** Kinds of differences that do not count. */
  accepted: readonly Acceptable[];
};

/** FILE cannot be used. */
export class UnusableFile extends Error {}

/** Sends the requests to both servers, prints the report, and returns it. */
export async function compareServers(options: ReplayOptions, print: (text: string) => void): Promise<ReplayReport> {
  const { file, pages, old, new: next, prefix, isStrict, accepted, parameters, showValues, json, signal } = options;
  const opened = file === null ? null : await openInput(file);
  requireLists(await old.client.request(LIST), await next.client.request(LIST));
  const { input, sizeBytes } = opened ?? {
    input: Readable.from(listRequests(old.client, pages, prefix)),
    sizeBytes: null,
  };
  addAbortSignal(signal, input);
  const progress = showProgress(sizeBytes);
  const describe = showValues ? showValue : maskValue;
  const replay = new Replay({
    input,
    old: new Server("OLD", old.client, signal),
    new: new Server("NEW", next.client, signal),
    prefix,
    isStrict,
    accepted,
    parameters,
    signal,
    exampleOf: (request, difference) => ({
      old: describe(difference.old),
      new: describe(difference.new),
      curlOld: curlLine(old.url, request, old.hasKey ? "OLD_KEY" : null, showValues),
      curlNew: curlLine(next.url, request, next.hasKey ? "NEW_KEY" : null, showValues),
    }),
    onProgress: (running, bytes) =>
      progress.update(() => `${running.replayed} requests, ${running.countUnexplained()} kinds of differences`, bytes),
  });
  const report = await replay.run().finally(progress.end);
  if (report.replayed === 0 && report.stopped === null)
    throw new UnusableFile(describeEmpty(file ?? "", prefix, report));
  print(json ? JSON.stringify(report) : printReport(report, file, showValues));
  return report;
}

async function openInput(file: string): Promise<{ input: Readable; sizeBytes: number | null }> {
  if (file === "-") return { input: process.stdin, sizeBytes: null };
  try {
    const handle = await open(file);
    const stats = await handle.stat();
    if (stats.isDirectory()) throw new Error("it is a folder");
    return { input: handle.createReadStream(), sizeBytes: stats.isFile() ? stats.size : null };
  } catch (error) {
    throw new UnusableFile(`${JSON.stringify(file)} cannot be read: ${(error as Error).message}.`);
  }
}

function describeEmpty(file: string, prefix: string, { lines, skipped }: ReplayReport): string {
  const reasons = Object.entries(skipped).map(([reason, count]) => `${count} ${reason}`);
  return `${JSON.stringify(file)} contains no request that can be replayed. ${lines} lines${reasons.map((text) => `, ${text}`).join("")}.
Use an access log in combined format, or paths such as ${prefix}/passports/1, one per line. Uncompress it first.`;
}
