import { Command } from "commander";
import { requireConfig } from "#core/process/connect.ts";
import { confirm } from "#core/terminal/confirm.ts";
import { EXIT } from "#core/terminal/exit-codes.ts";
import { Failure } from "#core/terminal/failure.ts";
import { formatCount, formatLines, formatPassports, printMessage, printResult } from "#core/terminal/output.ts";
import type { Terminal } from "#core/terminal/terminal.ts";
import { refreshIfBehind } from "#list/commands/refresh-if-behind.ts";
import { findErasedAt, nameOf, requirePerson, withPeople } from "#people/commands/require-person.ts";
import { erasePerson, type PlannedErasure, planErasure } from "#privacy/erase-person.ts";
import { analyzePeople } from "#privacy/planner-statistics.ts";
import { requireOptOutKeys } from "#privacy/require-opt-out-keys.ts";
import { type ChangeOptions, withChangeOptions } from "./passport-change.ts";

export const eraseCommand = (terminal: Terminal): Command =>
  withChangeOptions(new Command("erase").description("permanently delete everything stored about a person"))
    .addHelpText(
      "after",
      `
A tombstone remains: the id, and hashes of the wallets keyed with OPT_OUT_KEY, so that no import adds the person again.

Example:
  $ credence passport erase 1 --dry-run`,
    )
    .action((reference: string, options: ChangeOptions) => {
      const { optOutKeys } = requireConfig(terminal);
      const [optOutKey = null] = optOutKeys;
      const dry_run = options.dryRun ?? false;
      return withPeople(
        terminal,
        async (database) => {
          // A tombstone under another key than the others would not be found by imports with theirs.
          if (!dry_run) await requireOptOutKeys(database, optOutKeys, "passport erase");
          if (optOutKey === null && !dry_run) {
            throw new Failure(
              "OPT_OUT_KEY is not set: the tombstone could not contain the wallets, and an import could add the person again.",
              "Create a key with `openssl rand -hex 32`, store it like a password, and set it for this command and for every import.",
              EXIT.usage,
            );
          }
          const erasedAt = await findErasedAt(database, reference);
          if (erasedAt !== null) {
            const result = { action: "erase", passport_id: Number(reference), dry_run, changed: false };
            return printResult(
              terminal,
              options.json,
              result,
              `Passport ${reference} was already erased on ${erasedAt.toISOString()}.`,
            );
          }
          const person = await requirePerson(database, reference);
          const { passport_id } = person.passport;
          const plan = await planErasure(database, passport_id);
          const print = (result: { changed: boolean; would_change?: boolean }, text: string) =>
            printResult(terminal, options.json, { action: "erase", passport_id, dry_run, ...result, ...plan }, text);
          const name = nameOf(person);
          if (dry_run || optOutKey === null) {
            const text = `${name} would be erased permanently.\n${describe(plan)}`;
            return print({ changed: false, would_change: true }, text);
          }
          printMessage(terminal, describe(plan));
          if (!(await confirm(terminal, `Erase ${name} permanently?`, options.yes ?? false))) return;
          const erased = await erasePerson(database, passport_id, optOutKey);
          // The list keeps folded names of removed people until its next build.
          if (erased && (await refreshIfBehind(terminal, database)) !== null) await analyzePeople(database);
          print({ changed: erased }, `Passport ${passport_id} is erased.`);
          printMessage(terminal, "docs/PRIVACY.md describes what remains in backups and caches, and for how long.");
        },
        options.dryRun,
      );
    });

function describe({ wallets, erased_too, lose_a_wallet }: PlannedErasure): string {
  return formatLines(
    `The tombstone contains the id and ${formatCount(wallets, "hashed wallet")}.`,
    erased_too.length > 0 && `Also erased, because their main wallet is one of these: ${formatPassports(erased_too)}.`,
    lose_a_wallet.length > 0 && `Losing a wallet that is one of these: ${formatPassports(lose_a_wallet)}.`,
  );
}
