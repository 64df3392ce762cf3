import { Command } from "commander";
import { confirm } from "#cli/terminal/confirm.ts";
import { EXIT } from "#cli/terminal/exit-codes.ts";
import { Failure } from "#cli/terminal/failure.ts";
import { printCount, printResult, say } from "#cli/terminal/output.ts";
import { erasePerson, type PlannedErasure, planErasure } from "#operations/holders/erase-person.ts";
import { configured } from "#process/connect.ts";
import { findErasedAt, nameOf, requirePerson, withPeople } from "./find-holder.ts";
import { type ChangeOptions, changing } from "./passport-change.ts";

export const eraseCommand = (): Command =>
  changing(new Command("erase").description("remove all that is held of somebody, for good"))
    .addHelpText(
      "after",
      `
What stays is a tombstone: the id, and the wallets as hashes under OPT_OUT_KEY, so that no later import brings them back.

Example:
  $ credence passport erase 1 --dry-run`,
    )
    .action((reference: string, options: ChangeOptions) => {
      const { optOutKey } = configured();
      const dry_run = options.dryRun ?? false;
      if (optOutKey === null && !dry_run) {
        throw new Failure(
          "OPT_OUT_KEY is not set: the person's wallets could not be remembered, and an import would bring them back.",
          "Make one with `openssl rand -hex 32`, keep it as you keep a password, and set it here and for every import.",
          EXIT.usage,
        );
      }
      return withPeople(async (database) => {
        const erasedAt = await findErasedAt(database, reference);
        if (erasedAt !== null) {
          const result = { action: "erase", passport_id: Number(reference), dry_run, changed: false };
          return printResult(
            options.json ?? false,
            result,
            `Passport ${reference} was erased on ${erasedAt.toISOString()} already.`,
          );
        }
        const person = await requirePerson(database, reference);
        const { passport_id } = person.passport;
        const plan = await planErasure(database, passport_id);
        const tell = (result: { changed: boolean; would_change?: boolean }, text: string) =>
          printResult(options.json ?? false, { action: "erase", passport_id, dry_run, ...result, ...plan }, text);
        const who = nameOf(person);
        if (dry_run || optOutKey === null) {
          const text = [`${who} would be erased, for good.`, ...describe(plan)].join("\n");
          return tell({ changed: false, would_change: true }, text);
        }
        for (const line of describe(plan)) say(line);
        if (!(await confirm(`Erase ${who}, for good?`, options.yes ?? false))) return;
        const erased = await erasePerson(database, passport_id, optOutKey);
        tell({ changed: erased }, `Passport ${passport_id} is erased.`);
        say("docs/PRIVACY.md says what remains in back-ups and caches, and for how long.");
      });
    });

function describe({ wallets, erased_too, lose_a_wallet, absorbed }: PlannedErasure): string[] {
  const ids = (list: readonly number[]) => `${list.length === 1 ? "passport" : "passports"} ${list.join(", ")}`;
  return [
    `To be remembered: the id, and ${printCount(wallets, "wallet")} as hashes.`,
    ...(erased_too.length > 0 ? [`Erased too, one of these being their main wallet: ${ids(erased_too)}.`] : []),
    ...(lose_a_wallet.length > 0 ? [`Losing a wallet, as they list one of these: ${ids(lose_a_wallet)}.`] : []),
    ...(absorbed.length > 0
      ? [`Staying, though merged into this one: ${ids(absorbed)}. Erase them as well if they are the same person.`]
      : []),
  ];
}
