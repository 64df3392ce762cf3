import { type Clause, type Context, type Knowledge, type Level, Mismatch, Skipped } from "./clause.ts";
import { HEADER_CLAUSES } from "./clauses/headers.ts";
import { isSwitchedOff, LIFE_CYCLE_CLAUSES } from "./clauses/life-cycle.ts";
import { LIST_CLAUSES } from "./clauses/list.ts";
import { LOOKUP_CLAUSES } from "./clauses/lookups.ts";
import { PROTOCOL_CLAUSES } from "./clauses/protocol.ts";
import { SHAPE_CLAUSES } from "./clauses/shapes.ts";
import type { Client } from "./client.ts";
import { BAD_KEY, LIST, parse, takeSample } from "./sample.ts";

export type Outcome = {
  clause: string;
  level: Level;
  /** `open`: it passes, except that the server accepts unknown keys. */
  result: "pass" | "open" | "fail" | "skipped";
  rule: string;
  observed: string;
  expected?: string;
  why?: string;
};

/** All clauses, those of level `spec` first. */
export const CLAUSES: readonly Clause[] = [
  ...SHAPE_CLAUSES,
  ...LIST_CLAUSES,
  ...LOOKUP_CLAUSES,
  ...PROTOCOL_CLAUSES,
  ...HEADER_CLAUSES,
  ...LIFE_CYCLE_CLAUSES,
].toSorted((a, b) => Number(a.level === "credence") - Number(b.level === "credence"));

export const clausesOf = (level: Level): Clause[] =>
  CLAUSES.filter((clause) => level === "credence" || clause.level === "spec");

/** Takes a sample and checks the clauses in order. */
export async function runClauses(
  client: Client,
  clauses: readonly Clause[],
  knowledge: Knowledge,
  onOutcome: (outcome: Outcome) => void = () => {},
): Promise<Outcome[]> {
  const sample = await takeSample(client);
  const acceptsUnknownKeys = (await client.requestWithoutKey(LIST, BAD_KEY)).status === 200;
  const isListReadable = sample.list.status === 200 && parse(sample.list) !== null;
  // At level `spec` there is no such state: there, a list that cannot be read is a failure.
  const isOff = isSwitchedOff(sample.list) && clauses.some((clause) => LIFE_CYCLE_CLAUSES.includes(clause));
  const withoutList = isOff ? LIFE_CYCLE_CLAUSES.map(({ id }) => id) : ["list-response"];
  const outcomes: Outcome[] = [];
  for (const clause of clauses) {
    const canCheck = isListReadable || withoutList.includes(clause.id);
    const reason = isOff ? "V1 is switched off" : "the list could not be read";
    const outcome = canCheck
      ? await checkClause({ client, sample, acceptsUnknownKeys, ...knowledge }, clause)
      : skipClause(clause, reason);
    outcomes.push(outcome);
    onOutcome(outcome);
  }
  return outcomes;
}

const ACCEPTS_UNKNOWN_KEYS = "accepts unknown keys: of Credence, AUTH_MODE=open; set it to optional to refuse them";

/** Without a list there is no sample to check. */
function skipClause({ id, level, rule }: Clause, observed: string): Outcome {
  return { clause: id, level, rule, result: "skipped", observed };
}

async function checkClause(
  context: Context,
  { id, level, rule, why, needsUnknownKey, check }: Clause,
): Promise<Outcome> {
  const outcome = { clause: id, level, rule };
  try {
    const observed = await check(context);
    if (!needsUnknownKey || !context.acceptsUnknownKeys) return { ...outcome, result: "pass", observed };
    return { ...outcome, result: "open", observed: ACCEPTS_UNKNOWN_KEYS };
  } catch (error) {
    const { message } = error as Error;
    if (error instanceof Skipped) return { ...outcome, result: "skipped", observed: message };
    // Any other error is a failed request, and so a failure of the server.
    const { observed, expected } = error instanceof Mismatch ? error : { observed: message, expected: "a response" };
    return { ...outcome, result: "fail", observed, expected, why };
  }
}
