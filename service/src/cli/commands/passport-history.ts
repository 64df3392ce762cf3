import { Command } from "commander";
import { printResult, say } from "#cli/terminal/output.ts";
import { printable } from "#identity/unprintable.ts";
import { type ExplainedChange, explainScores } from "#operations/scores/explain-person.ts";
import { HISTORY_DAYS } from "#operations/scores/record-score-changes.ts";
import { nameOf, printScore as print, requirePerson, withPeople } from "./find-holder.ts";

export const historyCommand = (): Command =>
  new Command("history")
    .description("show what changed somebody's score, the newest change first")
    .argument("<id or wallet>", "whom")
    .option("--json", "print the result as JSON")
    .addHelpText("after", "\nExample:\n  $ credence passport history 1")
    .action((reference: string, options: { json?: boolean }) =>
      withPeople(async (database) => {
        const person = await requirePerson(database, reference);
        const { passport_id, score } = person.passport;
        const changes = await explainScores(database, passport_id);
        const none = changes.length === 0 ? ["No change of it is remembered."] : [];
        const text = [`${nameOf(person)}: ${print(score)} now.`, ...none, ...changes.flatMap(describe)];
        printResult(options.json ?? false, { passport_id, score, changes }, text.join("\n"));
        say(`Changes are remembered for ${HISTORY_DAYS} days.`);
      }),
    );

function describe(change: ExplainedChange): string[] {
  const { changed_at, cause, waiting, from_score, to_score, by, unexplained, credentials } = change;
  const what = waiting
    ? "credentials changed, and the score has not been worked out since"
    : `${print(from_score)} → ${print(to_score)} (${signed(by)}), by ${cause === "import" ? "an import" : "recalculation"}`;
  return [
    `${changed_at.toISOString()}  ${what}`,
    ...credentials.map((credential) => `    ${describeCredential(credential)}`),
    ...(waiting || unexplained === 0 ? [] : [`    ${signed(unexplained)} not by credentials: ${tellWhy(change)}`]),
  ];
}

function describeCredential({ name, category, from, to, by }: ExplainedChange["credentials"][number]): string {
  const how = from === null ? "came" : to === null ? "went" : `${from} → ${to}`;
  const points = by === null ? "counts for nothing" : signed(by);
  return `${printable(category)}: ${printable(name)} ${points} (${how})`;
}

function tellWhy({ cause, from_score }: ExplainedChange): string {
  if (cause === "import") return "as imported";
  return from_score === null ? "there was no score before" : "the score before did not add up";
}

const signed = (points: number): string => (points < 0 ? `−${-points}` : `+${points}`);
