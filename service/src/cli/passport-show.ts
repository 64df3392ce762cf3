import { Command } from "commander";
import { type ShownPerson, showPerson } from "#operations/show-person.ts";
import { printable, printCount, printNumber, printResult } from "./output.ts";
import { nameOf, printScore as print, requirePerson, withPeople } from "./person.ts";

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
  const { passport, credentials, operator, counted } = shown;
  const state = [
    ...(operator.hidden ? ["hidden"] : []),
    ...(operator.merged_into !== null ? [`merged into ${operator.merged_into}`] : passport.merged ? ["merged"] : []),
    ...(shown.due ? ["due to be recalculated"] : []),
  ];
  const row = (name: string, text: string) => `  ${name.padEnd(12)} ${text}`;
  return [
    `${nameOf(shown)}${state.length > 0 ? `: ${state.join(", ")}` : ""}`,
    row("score", `${print(passport.score)}, worked out ${passport.last_calculated_at ?? "nobody knows when"}`),
    row("Activity", `${print(passport.activity_score)}  ${tell(shown, "Activity")}`),
    row("Identity", `${print(passport.identity_score)}  ${tell(shown, "Identity")}`),
    row("Skills", `${print(passport.skills_score)}  ${tell(shown, "Skills")}`),
    row("credentials", printNumber(credentials.length)),
    row("main wallet", printable(passport.main_wallet ?? "none")),
    row("wallets", printable(passport.verified_wallets.join(", ") || "none")),
    ...(counted.uncounted.length > 0 ? [row("not counted", printable(counted.uncounted.join(", ")))] : []),
    ...(shown.set_aside === null ? [] : [row("set aside", printable(shown.set_aside))]),
    ...describeSum(shown),
  ].join("\n");
}

function describeSum({ counted, passport }: ShownPerson): string[] {
  if (counted.reason !== null) return [counted.reason];
  if (counted.adds_up) return ["The scores are what the credentials come to."];
  const { activity_score, identity_score, skills_score, score } = counted.scores ?? passport;
  return [
    `The credentials come to ${print(score)}: Activity ${print(activity_score)}, Identity ${print(identity_score)}, Skills ${print(skills_score)}.`,
    `\`credence passport recalculate ${passport.passport_id}\` takes that over; scores are kept as they were imported until then.`,
  ];
}

const tell = ({ credentials }: ShownPerson, category: string): string =>
  `of ${printCount(credentials.filter((credential) => credential.category === category).length, "credential")}`;
