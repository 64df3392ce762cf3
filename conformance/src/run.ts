import type { Asker } from "./asker.ts";
import { type Clause, type Kit, type Level, Mismatch, NotSeen } from "./clause.ts";
import { CLAUSES } from "./clauses/all.ts";
import { parse, takeSample } from "./sample.ts";

export type Outcome = {
  clause: string;
  level: Level;
  result: "pass" | "fail" | "not seen";
  says: string;
  seen: string;
  expected?: string;
  why?: string;
};

/** The clauses of a level: the specification's own, or all. */
export const clausesOf = (level: Level): Clause[] =>
  CLAUSES.filter((clause) => level === "credence" || clause.level === "spec");

/** Takes a sample and checks clause after clause. */
export async function runClauses(
  asker: Asker,
  clauses: readonly Clause[],
  hasKey: boolean,
  onOutcome: (outcome: Outcome) => void = () => {},
): Promise<Outcome[]> {
  const kit: Kit = { asker, sample: await takeSample(asker), hasKey };
  const outcomes: Outcome[] = [];
  const readable = kit.sample.list.status === 200 && parse(kit.sample.list) !== null;
  for (const clause of clauses) {
    const outcome = readable || clause.id === "list-answers" ? await checkClause(kit, clause) : unread(clause);
    outcomes.push(outcome);
    onOutcome(outcome);
  }
  return outcomes;
}

/** Without the list there is no sample, and a check on nothing says nothing. */
function unread({ id, level, says }: Clause): Outcome {
  return { clause: id, level, says, result: "not seen", seen: "the list could not be read" };
}

async function checkClause(kit: Kit, { id, level, says, why, check }: Clause): Promise<Outcome> {
  const about = { clause: id, level, says };
  try {
    return { ...about, result: "pass", seen: await check(kit) };
  } catch (error) {
    if (error instanceof NotSeen) return { ...about, result: "not seen", seen: error.message };
    if (error instanceof Mismatch) return { ...about, result: "fail", seen: error.seen, expected: error.expected, why };
    // A connection that breaks is a failure of the server, told as such.
    return { ...about, result: "fail", seen: (error as Error).message, expected: "an answer", why };
  }
}
