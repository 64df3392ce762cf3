import { Command } from "commander";
import { type Database, inTransaction } from "#core/database/database.ts";
import { lockPeople } from "#core/database/locks.ts";
import { requireConfig } from "#core/process/connect.ts";
import { confirm } from "#core/terminal/confirm.ts";
import { EXIT } from "#core/terminal/exit-codes.ts";
import { Failure } from "#core/terminal/failure.ts";
import { formatCount, formatLines, formatPassports, printMessage, printResult } from "#core/terminal/output.ts";
import type { Terminal } from "#core/terminal/terminal.ts";
import { requireKeys } from "#decisions/erased-wallets.ts";
import { findState } from "#decisions/ledger.ts";
import { analyzePeople } from "#decisions/planner-statistics.ts";
import { decide } from "#decisions/settle.ts";
import { refreshIfBehind } from "#list/commands/refresh-if-behind.ts";
import { findReferenced, nameOf, withPeople } from "#people/commands/require-person.ts";
import { listAddresses, listClaims } from "#people/facts/wallets.ts";
import { withDecisionOptions } from "./passport-decide.ts";

type Options = { yes?: boolean; dryRun?: boolean; json?: boolean };

export const eraseCommand = (terminal: Terminal): Command =>
  withDecisionOptions(
    new Command("erase")
      .description("permanently delete everything stored about people")
      .argument("<id or wallet...>", "the people"),
  )
    .addHelpText(
      "after",
      `
What remains: the id, and hashes of the wallets keyed with OPT_OUT_KEY, so that no import adds the person again. The wallets
are removed from all other records. Other records stay: if one is the same person, erase it too.

Examples:
  $ credence passport erase 1 --dry-run
  $ credence passport erase 7 9 --yes`,
    )
    .action((references: string[], options: Options) =>
      withPeople(terminal, (database) => erase(terminal, database, references, options), options.dryRun),
    );

async function erase(
  terminal: Terminal,
  database: Database,
  references: readonly string[],
  { yes = false, dryRun: dry_run = false, json }: Options,
): Promise<void> {
  const { optOutKeys } = requireConfig(terminal);
  const [key] = optOutKeys;
  if (!dry_run) await requireKeys(database, optOutKeys);
  if (key === undefined && !dry_run) {
    throw new Failure(
      "OPT_OUT_KEY is not set: the wallets could not be remembered, and an import could add the person again.",
      "Create a key with `openssl rand -hex 32`, store it like a password, and set it for this command and for every import.",
      EXIT.usage,
    );
  }
  const people = new Map<number, string>();
  for (const reference of references) {
    const { passportId, person } = await findReferenced(database, reference);
    const { erased } = await findState(database, passportId);
    if (person !== null) people.set(passportId, nameOf(person));
    else people.set(passportId, `Passport ${passportId}, which is ${erased ? "already erased" : "not stored"}`);
  }
  const plan = await planErasure(database, [...people.keys()]);
  const print = (changed: boolean, text: string) =>
    printResult(
      terminal,
      json,
      {
        action: "erase",
        passport_ids: [...people.keys()],
        dry_run,
        changed,
        ...(dry_run && { would_change: true }),
        ...plan,
      },
      text,
    );
  const names = [...people.values()].join(", ");
  if (dry_run || key === undefined) return print(false, `To be erased permanently: ${names}.\n${describe(plan)}`);
  printMessage(terminal, describe(plan));
  if (!(await confirm(terminal, `Erase permanently: ${names}?`, yes))) return;
  const erased = await inTransaction(database, async (connection) => {
    await lockPeople(connection);
    const ids: number[] = [];
    for (const passportId of people.keys()) {
      const settled = await decide(connection, { action: "erased", by: "operator", passportId }, { key });
      ids.push(...settled.erased);
    }
    return ids;
  });
  // The list keeps folded names of removed people until its next build.
  if (erased.length > 0) {
    await refreshIfBehind(terminal, database);
    await analyzePeople(database);
  }
  print(erased.length > 0, `Erased: ${formatPassports([...people.keys()])}.`);
  printMessage(terminal, "docs/PRIVACY.md describes what remains in backups and caches, and for how long.");
}

/** Effects on other records that list one of the wallets. */
type PlannedErasure = { wallets: number; lose_a_wallet: number[]; lose_main_wallet: number[] };

async function planErasure(database: Database, ids: readonly number[]): Promise<PlannedErasure> {
  const addresses = await listAddresses(database, ids);
  const claims = (await listClaims(database, addresses)).filter(({ passport_id }) => !ids.includes(passport_id));
  return {
    wallets: addresses.length,
    lose_a_wallet: [...new Set(claims.map(({ passport_id }) => passport_id))],
    lose_main_wallet: [...new Set(claims.filter(({ is_main }) => is_main).map(({ passport_id }) => passport_id))],
  };
}

function describe({ wallets, lose_a_wallet, lose_main_wallet }: PlannedErasure): string {
  return formatLines(
    `What remains: the id and ${formatCount(wallets, "hashed wallet")}.`,
    lose_a_wallet.length > 0 && `Other records that lose a wallet, and stay: ${formatPassports(lose_a_wallet)}.`,
    lose_main_wallet.length > 0 &&
      `Of these, their main wallet: ${formatPassports(lose_main_wallet)}. If they are the same person, erase them too.`,
  );
}
