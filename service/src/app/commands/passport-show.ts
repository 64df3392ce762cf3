import { Command } from "commander";
import { formatLines, formatNumber, printResult } from "#core/terminal/output.ts";
import type { Terminal } from "#core/terminal/terminal.ts";
import { printable } from "#core/terminal/unprintable.ts";
import { formatScore, nameOf, requirePerson, withPeople } from "#people/commands/require-person.ts";
import type { PersonFacts } from "#people/read/read-people.ts";

export const showCommand = (terminal: Terminal): Command =>
  new Command("show")
    .description("show everything stored about a person, hidden or not")
    .argument("<id or wallet>", "the person")
    .option("--json", "print everything as JSON")
    .addHelpText("after", "\nExample:\n  $ credence passport show 1")
    .action((reference: string, options: { json?: boolean }) =>
      withPeople(terminal, async (database) => {
        const person = await requirePerson(database, reference);
        printResult(terminal, options.json, person, describe(person));
      }),
    );

function describe(shown: PersonFacts): string {
  const { passport, operator } = shown;
  const state = [...(operator.hidden ? ["hidden"] : []), ...(passport.merged ? ["merged"] : [])];
  const row = (name: string, text: string) => `  ${name.padEnd(12)} ${text}`;
  const category = (name: string, text: string) => [row(printable(name), text), ...describeCredentials(shown, name)];
  return formatLines(
    `${nameOf(shown)}${state.length > 0 ? `: ${state.join(", ")}` : ""}`,
    row("score", `${formatScore(passport.score)}, as of ${passport.last_calculated_at ?? "an unknown time"}`),
    ...category("Activity", formatScore(passport.activity_score)),
    ...category("Identity", formatScore(passport.identity_score)),
    ...category("Skills", formatScore(passport.skills_score)),
    row("main wallet", printable(passport.main_wallet ?? "none")),
    row("wallets", printable(passport.verified_wallets.join(", ") || "none")),
  );
}

/** Maximum number of credentials listed per category; --json prints all. */
const MAX_LISTED = 20;

function describeCredentials({ credentials }: PersonFacts, category: string): string[] {
  const indent = " ".repeat(15);
  const inCategory = credentials.filter((credential) => credential.category === category);
  const listed = inCategory.toSorted((a, b) => b.score - a.score).slice(0, MAX_LISTED);
  const omitted = inCategory.length - listed.length;
  return [
    ...listed.map(({ name, score, max_score }) => {
      const points = score > max_score ? `${max_score}, limited from ${score}` : `${score} of ${max_score}`;
      return `${indent}${printable(name)}: ${points}`;
    }),
    ...(omitted > 0 ? [`${indent}… and ${formatNumber(omitted)} more`] : []),
  ];
}
