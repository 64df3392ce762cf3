import type { HttpResponse } from "../client.ts";
import { type Acceptable, markAccepted } from "./accepted-differences.ts";
import { ReplayStopped, type Server } from "./ask.ts";
import { type Difference, type Explanation, form, ROOT } from "./difference.ts";
import { markDecided } from "./documented-differences.ts";
import { Counts, type Example, type Group, Groups } from "./groups.ts";
import { headersOnlyOnOld } from "./headers.ts";
import { type Line, readLines } from "./lines.ts";
import {
  looksLikeV1,
  parseLine,
  pathOf,
  type ReplayRequest,
  readPaths,
  type SkipReason,
  targetOf,
} from "./log-line.ts";
import { lookUpAbsent } from "./look-ups.ts";
import { maskPath } from "./mask.ts";
import { withoutNoise } from "./noise.ts";
import { V1_PARAMETERS } from "./query.ts";
import { RecentRequests } from "./recent-requests.ts";
import { compareResponses } from "./responses.ts";

export type ReplayReport = {
  /** Something was compared, with no difference in form and no unexplained difference in data. */
  isSafe: boolean;
  /** Why the replay ended before the end of the file; null if it did not. */
  stopped: string | null;
  lines: number;
  replayed: number;
  repeated: number;
  compared: number;
  requests: { old: number; new: number };
  skipped: Record<string, number>;
  /** The most frequent shapes of skipped paths, without ids, wallets and names. */
  skippedPaths: Record<string, number>;
  /** Requests for V1 under another prefix; 0 if they are at most 1 % of all requests for V1. */
  underOtherPrefix: number;
  retried: Record<string, number>;
  removedParameters: Record<string, number>;
  headersOnlyOnOld: Record<string, number>;
  /** By kind that the operator accepts, the differences. */
  accepted: Record<string, number>;
  groups: Group[];
};

type Options = {
  input: AsyncIterable<Buffer>;
  old: Server;
  new: Server;
  /** Parameters to send in addition to those of V1. */
  parameters: readonly string[];
  signal: AbortSignal;
  exampleOf: (request: ReplayRequest, difference: Difference) => Omit<Example, "line" | "sizeBytes">;
  onProgress: (replay: Replay, bytes: number) => void;
  /** The path of V1 in the log and on both servers. */
  prefix: string;
  /** Differences that follow from decisions count too. */
  isStrict: boolean;
  /** Kinds of differences that do not count. */
  accepted: readonly Acceptable[];
};

const REMEMBERED_REQUESTS = 100_000;
const MAX_SHARE_ELSEWHERE = 0.01;

/** Replays the requests of a log against two servers and collects the differences. */
export class Replay {
  readonly #options: Options;
  readonly #sentParameters: ReadonlySet<string>;
  readonly #paths: ReturnType<typeof readPaths>;
  readonly #recent = new RecentRequests(REMEMBERED_REQUESTS);
  readonly #groups = new Groups();
  readonly #skipped = new Counts();
  readonly #skippedPaths = new Counts();
  readonly #removedParameters = new Counts();
  readonly #headers = new Counts();
  #lines = 0;
  #repeated = 0;
  #compared = 0;
  #underOtherPrefix = 0;
  replayed = 0;

  constructor(options: Options) {
    this.#options = options;
    this.#sentParameters = new Set([...V1_PARAMETERS, ...options.parameters]);
    this.#paths = readPaths(options.prefix);
  }

  /** Reads the whole input. Ends early with a report if it is aborted, or if a server is unavailable. */
  async run(): Promise<ReplayReport> {
    const { input, signal, onProgress } = this.#options;
    try {
      for await (const line of readLines(input)) {
        signal.throwIfAborted();
        await this.#replayLine(line);
        onProgress(this, line.end);
      }
      return this.#report(null);
    } catch (error) {
      if (error instanceof ReplayStopped) return this.#report(error.message);
      if (signal.aborted) return this.#report("interrupted");
      throw error;
    }
  }

  /** The number of kinds of differences so far that are not explained. */
  countUnexplained(): number {
    return this.#groups.list().filter(({ explanation }) => explanation === null).length;
  }

  async #replayLine({ text, number }: Line): Promise<void> {
    this.#lines += 1;
    if (text?.trim() === "") return;
    const parsed =
      text === null
        ? "line too long"
        : parseLine(text, this.#sentParameters, (name) => this.#removedParameters.add(name), this.#paths);
    if (typeof parsed === "string") this.#skip(parsed, text);
    else if (this.#recent.add(`${parsed.method} ${targetOf(parsed)}`)) this.#repeated += 1;
    else await this.#replayRequest(parsed, number);
  }

  #skip(reason: SkipReason, text: string | null): void {
    this.#skipped.add(reason);
    const path = text === null ? null : pathOf(text);
    if (path === null || !reason.startsWith("path")) return;
    this.#skippedPaths.add(maskPath(path));
    if (reason.startsWith("path outside") && looksLikeV1(path)) this.#underOtherPrefix += 1;
  }

  #isElsewhere(): boolean {
    const asked = this.replayed + this.#repeated + this.#underOtherPrefix;
    return this.#underOtherPrefix > MAX_SHARE_ELSEWHERE * asked;
  }

  async #replayRequest(request: ReplayRequest, line: number): Promise<void> {
    const { old, new: next, exampleOf, accepted } = this.#options;
    const { method, endpoint } = request;
    const target = targetOf(request);
    this.replayed += 1;
    const first = await old.ask(target, method);
    const response = first && (await next.ask(target, method));
    const second = first && (await old.ask(target, method));
    if (first === null || second === null) {
      this.#skipped.add("OLD did not respond");
      return;
    }
    this.#compared += 1;
    const isSettled = first.status === second.status;
    const third = isSettled ? null : await old.ask(target, method);
    const [before, after] = isSettled ? [first, second] : settle(first, second, third);
    const differences =
      response === null
        ? [{ ...form("no response", before.status, undefined), ...ROOT, explanation: null }]
        : withoutNoise(
            compareResponses(endpoint, before, response),
            compareResponses(endpoint, after, response),
            compareResponses(endpoint, before, after),
          );
    if (!isSettled) {
      const both = `${first.status} and ${second.status}`;
      differences.push({ ...form("two statuses", both, response?.status), ...ROOT, explanation: "noise" });
    }
    for (const name of response === null ? [] : headersOnlyOnOld(before, response)) this.#headers.add(name);
    const servers = { old, new: next };
    const marked =
      response === null
        ? differences
        : markAccepted(markDecided(differences, request, before, response), accepted, {
            request,
            old: before,
            next: response,
          });
    const decided = await lookUpAbsent(marked, (server, path) => servers[server].ask(path, "GET"));
    const sizeBytes = before.body.length + (response?.body.length ?? 0) + target.length;
    this.#groups.add(endpoint, decided, (found) => ({ line, sizeBytes, ...exampleOf(request, found) }));
  }

  #isHarmless(explanation: Explanation | null): boolean {
    return explanation !== null && !(this.#options.isStrict && explanation === "decided");
  }

  #report(stopped: string | null): ReplayReport {
    const groups = this.#groups.list();
    return {
      isSafe: this.#compared > 0 && groups.every(({ explanation }) => this.#isHarmless(explanation)),
      stopped,
      lines: this.#lines,
      replayed: this.replayed,
      repeated: this.#repeated,
      compared: this.#compared,
      requests: { old: this.#options.old.requestCount, new: this.#options.new.requestCount },
      skipped: this.#skipped.list(),
      skippedPaths: this.#skippedPaths.list(),
      underOtherPrefix: this.#isElsewhere() ? this.#underOtherPrefix : 0,
      retried: { ...this.#options.old.retries.list(), ...this.#options.new.retries.list() },
      removedParameters: this.#removedParameters.list(),
      headersOnlyOnOld: this.#headers.list(),
      accepted: Object.fromEntries(this.#options.accepted.map((kind) => [kind, countAccepted(groups, kind)])),
      groups,
    };
  }
}

const countAccepted = (groups: readonly Group[], kind: Acceptable): number =>
  groups.filter(({ accepted }) => accepted === kind).reduce((sum, { differences }) => sum + differences, 0);

/**
 * Two responses of the old server that have the same status, if two of three have it. Otherwise an
 * error of the old server would hide the differences in the body.
 */
function settle(first: HttpResponse, second: HttpResponse, third: HttpResponse | null): [HttpResponse, HttpResponse] {
  if (third?.status === first.status) return [first, third];
  return third?.status === second.status ? [third, second] : [first, second];
}
