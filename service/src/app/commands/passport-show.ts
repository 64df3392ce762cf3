import { Command } from "commander";
import { formatLines, formatNumber, printResult } from "#core/terminal/output.ts";
import type { Terminal } from "#core/terminal/terminal.ts";
import { printable } from "#core/terminal/unprintable.ts";
import { findState, type PersonState } from "#decisions/ledger.ts";
import { formatScore, nameOf, requirePerson, withPeople } from "#people/commands/require-person.ts";
import type { PersonFacts } from "#people/line.ts";

export const showCommand = (terminal: Terminal): Command =>
  new Command("show")
    .description("show everything stored about a person, hidden or not")
    .argument("<id or wallet>", "the person")
    .option("--json", "print everything as JSON")
    .addHelpText("after", "\nExample:\n  $ credence passport show 1")
    .action((reference: string, options: { json?: boolean }) =>
      withPeople(terminal, async (database) => {
        const person = await requirePerson(database, reference);
        const state = await findState(database, person.passport.passport_id);
        printResult(terminal, options.json, { ...person, state }, describe(person, state));
      }),
    );

function describe(shown: PersonFacts, decided: PersonState): string {
  const { passport } = shown;
  const state = [
    ...(decided.hidden_by_operator ? ["hidden by the operator"] : []),
    ...(decided.hidden_by_holder ? ["hidden by the holder"] : []),
    ...(decided.erasing ? ["to be erased"] : []),
    ...(decided.erased ? ["erased by a decision of another authority"] : []),
    ...(passport.merged ? ["merged"] : []),
  ];
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
