import { Command } from "commander";
import { printCount, printResult } from "#cli/terminal/output.ts";
import { printable } from "#identity/unprintable.ts";
import { type ShownPerson, showPerson } from "#operations/scores/explain-person.ts";
import { nameOf, printScore as print, requirePerson, withPeople } from "./find-holder.ts";

export const showCommand = (): Command =>
  new Command("show")
    .description("show what is held of somebody, hidden or not, and what their score is made of")
    .argument("<id or wallet>", "whom")
    .option("--json", "print all of it as JSON")
    .addHelpText("after", "\nExample:\n  $ credence passport show 1")
    .action((reference: string, options: { json?: boolean }) =>
      withPeople(async (database) => {
        const shown = await showPerson(database, await requirePerson(database, reference));
        printResult(options.json ?? false, shown, describe(shown));
      }),
    );

function describe(shown: ShownPerson): string {
  const { passport, operator, absorbed } = shown;
  const { merged_into } = operator;
  const state = [
    ...(operator.hidden ? ["hidden"] : []),
    ...(merged_into !== null ? [`merged into ${merged_into}`] : passport.merged ? ["merged"] : []),
    ...(absorbed.length > 0 ? [`absorbed ${absorbed.join(", ")}`] : []),
    ...(shown.due ? ["due to be recalculated"] : []),
  ];
  const row = (name: string, text: string) => `  ${name.padEnd(12)} ${text}`;
  return [
    `${nameOf(shown)}${state.length > 0 ? `: ${state.join(", ")}` : ""}`,
    row("score", `${print(passport.score)}, as of ${passport.last_calculated_at ?? "nobody knows when"}`),
    row("Activity", print(passport.activity_score)),
    ...describeCredentials(shown, "Activity"),
    row("Identity", print(passport.identity_score)),
    ...describeCredentials(shown, "Identity"),
    row("Skills", print(passport.skills_score)),
    ...describeCredentials(shown, "Skills"),
    ...shown.counted.uncounted.flatMap((category) => [
      row(printable(category), "counts for nothing"),
      ...describeCredentials(shown, category),
    ]),
    row("main wallet", printable(passport.main_wallet ?? "none")),
    row("wallets", printable(passport.verified_wallets.join(", ") || "none")),
    ...(merged_into === null ? [] : [row("", `V1 answers them with whoever ${merged_into} leads to.`)]),
    ...(shown.set_aside === null ? [] : [row("set aside", printable(shown.set_aside))]),
    ...describeSum(shown),
  ].join("\n");
}

/** How many credentials of a category are told; --json tells all. */
const TOLD = 20;

function describeCredentials({ credentials }: ShownPerson, category: string): string[] {
  const own = credentials.filter((credential) => credential.category === category);
  const told = own.toSorted((one, other) => other.score - one.score).slice(0, TOLD);
  return [
    ...told.map(({ name, score, max_score }) => {
      const points =
        score > max_score ? `${max_score}, the most it counts for, of ${score}` : `${score} of ${max_score}`;
      return `${" ".repeat(15)}${printable(name)}: ${points}`;
    }),
    ...(own.length > told.length
      ? [`${" ".repeat(15)}… and ${printCount(own.length - told.length, "more", "more")}`]
      : []),
  ];
}

function describeSum({ counted, passport, due }: ShownPerson): string[] {
  if (counted.reason !== null) return [counted.reason];
  if (counted.adds_up) return ["The scores are what the credentials come to."];
  const { activity_score, identity_score, skills_score, score } = counted.scores ?? passport;
  return [
    `The credentials come to ${print(score)}: Activity ${print(activity_score)}, Identity ${print(identity_score)}, Skills ${print(skills_score)}.`,
    due
      ? "Queued: `credence work` takes that over."
      : `\`credence passport recalculate ${passport.passport_id}\` takes that over.`,
  ];
}
