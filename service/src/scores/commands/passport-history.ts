import { Command } from "commander";
import { formatLines, printMessage, printResult } from "#core/terminal/output.ts";
import type { Terminal } from "#core/terminal/terminal.ts";
import { printable } from "#core/terminal/unprintable.ts";
import { formatScore, nameOf, requirePerson, withPeople } from "#people/commands/require-person.ts";
import { type ExplainedChange, explainScores } from "#scores/manage/explain-person.ts";
import { HISTORY_DAYS } from "#scores/manage/record-score-changes.ts";

export const historyCommand = (terminal: Terminal): Command =>
  new Command("history")
    .description("show the changes of a person's score, newest first")
    .argument("<id or wallet>", "the person")
    .option("--json", "print the result as JSON")
    .addHelpText("after", "\nExample:\n  $ credence passport history 1")
    .action((reference: string, options: { json?: boolean }) =>
      withPeople(terminal, async (database) => {
        const person = await requirePerson(database, reference);
        const { passport_id, score } = person.passport;
        const changes = await explainScores(database, passport_id);
        const text = formatLines(
          `${nameOf(person)}: ${formatScore(score)} now.`,
          changes.length === 0 && "No changes are stored.",
          ...changes.flatMap(describe),
        );
        printResult(terminal, options.json, { passport_id, score, changes }, text);
        printMessage(terminal, `Changes are stored for ${HISTORY_DAYS} days.`);
      }),
    );

function describe(change: ExplainedChange): string[] {
  const { changed_at, cause, waiting, from_score, to_score, by, unexplained, credentials } = change;
  const what = waiting
    ? "credentials changed; the score has not been recalculated yet"
    : `${formatScore(from_score)} → ${formatScore(to_score)} (${signed(by)}), by ${cause === "import" ? "an import" : "recalculation"}`;
  return [
    `${changed_at.toISOString()}  ${what}`,
    ...credentials.map((credential) => `    ${describeCredential(credential)}`),
    ...(waiting || unexplained === 0
      ? []
      : [`    ${signed(unexplained)} not explained by credentials: ${describeCause(change)}`]),
  ];
}

function describeCredential({ name, category, from, to, by }: ExplainedChange["credentials"][number]): string {
  const how = from === null ? "added" : to === null ? "removed" : `${from} → ${to}`;
  const points = by === null ? "does not count" : signed(by);
  return `${printable(category)}: ${printable(name)} ${points} (${how})`;
}

function describeCause({ cause, from_score }: ExplainedChange): string {
  if (cause === "import") return "as imported";
  return from_score === null ? "there was no previous score" : "the previous score was not the sum of the credentials";
}

const signed = (points: number): string => (points < 0 ? `−${-points}` : `+${points}`);
