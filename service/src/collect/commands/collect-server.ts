import { readFile } from "node:fs/promises";
import { type Command, InvalidArgumentError } from "commander";
import { type CollectedFromServer, collectServer, type Plan } from "#collect/collect-server.ts";
import type { NullValues } from "#collect/null-values.ts";
import { createTraffic, type Traffic } from "#collect/paced-client.ts";
import { readConfig } from "#core/config/config.ts";
import { isLoopback, parseBaseUrl, parseDuration } from "#core/config/config-values.ts";
import { VERSION } from "#core/config/version.ts";
import { EXIT } from "#core/terminal/exit-codes.ts";
import { Failure } from "#core/terminal/failure.ts";
import {
  formatCount,
  formatDuration,
  formatNumber,
  formatPeople,
  printMessage,
  printOnInterrupt,
} from "#core/terminal/output.ts";
import { optionParser } from "#core/terminal/parse.ts";
import { type UpdateProgress, withProgress } from "#core/terminal/progress.ts";
import type { Terminal } from "#core/terminal/terminal.ts";
import { withKnownErased } from "#decisions/commands/known-erased.ts";
import type { FieldCounts } from "#snapshots/format/field-counts.ts";
import type { UnknownFields } from "#snapshots/format/validate-line.ts";

export type ServerCommandOptions = {
  out: string;
  basis?: string;
  unknownFields: UnknownFields;
  keyFile?: string;
  rate: number;
  contact?: string;
  timeout: number;
  ids?: string;
  since?: string;
  nullParts: NullValues["parts"];
  nullLists: NullValues["lists"];
};

export const nullsOf = ({ nullParts, nullLists }: ServerCommandOptions): NullValues => ({
  parts: nullParts,
  lists: nullLists,
});

const MAX_RATE = 1_000;

export const addServerOptions = (command: Command): Command =>
  command
    .option("--key-file <file>", "a file with the API key of the old server")
    .option("--rate <number>", "requests per second", parseRate, 2)
    .option("--contact <text>", "how the operator of the old server can reach you; part of User-Agent")
    .option("--timeout <duration>", "the limit of a request", optionParser(parseDuration), 30_000)
    .option("--ids <file>", "only the passport ids in this file, one per line")
    .option(
      "--since <snapshot>",
      "only what has changed since this snapshot, and a thirtieth of the rest; with --from-files: what is in the files",
    );

function parseRate(text: string): number {
  const rate = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && rate > 0 && rate <= MAX_RATE) return rate;
  throw new InvalidArgumentError(`Expected a number above 0, and at most ${MAX_RATE}.`);
}

const NO_BASIS = `These data are about people. Copying them needs a right: a contract with the operator of the old server, their
public offer, or the consent of the people. State it with --basis "…"; it is stored in the manifest of the snapshot.`;

/** Collects from a server. Returns null if an earlier run has already finished. */
export async function collectLive(
  terminal: Terminal,
  text: string,
  options: ServerCommandOptions,
  fields: FieldCounts,
): Promise<CollectedFromServer | null> {
  const { out, basis, rate, since = null, timeout: timeoutMs, unknownFields } = options;
  const url = parseUrl(text);
  if (basis === undefined || basis.trim() === "") throw new Failure("--basis is missing.", NO_BASIS, EXIT.usage);
  if (options.ids !== undefined && since !== null) {
    throw new Failure("--ids and --since cannot be combined.", "Remove one of them.", EXIT.usage);
  }
  const key = options.keyFile === undefined ? null : await readKeyFile(options.keyFile, url);
  const ids = options.ids === undefined ? null : await readIds(options.ids);
  const userAgent = describeAgent(terminal, options.contact);
  printOnInterrupt(terminal, "The collected people are kept. Run the same command again to continue.");
  const collected = await withKnownErased(terminal, "collect", (findErased) =>
    withBothProgress(terminal, (updateListed, update) =>
      collectServer(url, out, {
        key,
        userAgent,
        timeoutMs,
        rate,
        ids,
        since,
        unknownFields,
        nulls: nullsOf(options),
        fields,
        findErased,
        incomplete: false,
        collected: { basis: basis.trim() },
        onPlan: (plan) => printMessage(terminal, describePlan(url, plan, rate)),
        onPass: ({ pass, newPeople, found }) =>
          printMessage(
            terminal,
            `Pass ${pass} of the list: ${formatNumber(newPeople)} new, ${formatNumber(found)} found.`,
          ),
        onPage: (found, page, lastPage) => updateListed(found, page, lastPage),
        onFetched: (done, total, traffic) => update(done, total, traffic),
        onWritten: () => {},
        onWait: (seconds) => {
          if (seconds >= 10) printMessage(terminal, `The server asks to wait ${formatDuration(seconds * 1_000)}.`);
        },
      }),
    ),
  );
  if (collected === null)
    printMessage(terminal, `"${out}" is complete already. What an earlier run had left beside it was removed.`);
  return collected;
}

type UpdateCollected = (done: number, total: number, traffic: Readonly<Traffic>) => void;

function withBothProgress<Result>(
  terminal: Terminal,
  work: (updateListed: UpdateProgress, updateCollected: UpdateCollected) => Promise<Result>,
): Promise<Result> {
  let latest: Readonly<Traffic> = createTraffic();
  const format = (people: number): string => `${formatPeople(people)}${describeTraffic(latest)}`;
  const collected = (listed: UpdateProgress) =>
    withProgress(
      terminal,
      "Collected",
      (update) =>
        work(listed, (done, total, traffic) => {
          latest = traffic;
          update(done, done, total);
        }),
      format,
    );
  return withProgress(terminal, "Listed", collected);
}

/** ", 240 requests, 3 refused, waited 12 s". */
function describeTraffic({ requests, refused, waitedSeconds }: Readonly<Traffic>): string {
  const parts = [
    formatCount(requests, "request"),
    ...(refused > 0 ? [`${formatNumber(refused)} refused`] : []),
    ...(waitedSeconds > 0 ? [`waited ${formatDuration(waitedSeconds * 1_000)}`] : []),
  ];
  return parts.map((part) => `, ${part}`).join("");
}

function parseUrl(text: string): string {
  try {
    const url = parseBaseUrl(text);
    if (new URL(url).username !== "" || new URL(url).password !== "")
      throw new Error("expected a URL without a password.");
    return url;
  } catch (error) {
    throw new Failure(
      `${text.replace(/\/\/.*@/, "//…@")}: ${(error as Error).message}`,
      "Example: https://old.example",
      EXIT.usage,
    );
  }
}

async function readKeyFile(path: string, url: string): Promise<string> {
  const { protocol, hostname } = new URL(url);
  if (protocol !== "https:" && !isLoopback(hostname)) {
    throw new Failure("A key must not be sent unencrypted.", "Use the https URL of the server.", EXIT.usage);
  }
  const key = (await readFile(path, "utf8")).trim();
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new Failure(
    `"${path}" does not contain a key: expected one line without spaces.`,
    "Check the file.",
    EXIT.usage,
  );
}

async function readIds(path: string): Promise<number[]> {
  const lines = (await readFile(path, "utf8")).split(/\r?\n/);
  const ids = new Set<number>();
  for (const [index, line] of lines.entries()) {
    const text = line.trim();
    const id = Number(text);
    if (text === "") continue;
    if (!/^\d{1,16}$/.test(text) || !Number.isSafeInteger(id) || id < 1) {
      throw new Failure(
        `Line ${index + 1} of "${path}" is not a passport id.`,
        "Expected one number per line.",
        EXIT.usage,
      );
    }
    ids.add(id);
  }
  return [...ids];
}

/** With a contact, an operator who sees the requests can ask instead of blocking them. */
function describeAgent(terminal: Terminal, contact: string | undefined): string {
  const { publicUrl } = readConfig(terminal.environment);
  const shown = contact ?? (terminal.environment.PUBLIC_URL ? publicUrl : null);
  if (shown === null)
    printMessage(terminal, "Tell the operator of the old server who you are: add --contact you@example.org.");
  return `credence-collect/${VERSION}${shown === null ? "" : ` (${shown.replaceAll(/[^\x20-\x7e]|[()]/g, "")})`}`;
}

function describePlan(
  url: string,
  { people, isResumed, done, requests, seconds, hasMore }: Plan,
  rate: number,
): string {
  const size =
    people === null ? "does not report how many people it has" : `has ${formatCount(people, "person", "people")}`;
  const rest = isResumed ? ` ${formatCount(done, "person", "people")} collected already.` : "";
  return `${url} ${size}.${rest} About ${formatCount(requests, "request")}, at most ${rate} per second: ${formatDuration(seconds * 1_000)}${hasMore ? ", and 2 requests for each person who has changed" : ""}.`;
}
