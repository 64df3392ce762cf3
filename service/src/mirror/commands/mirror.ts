import { Command } from "commander";
import { requireConfig, withDatabase } from "#core/process/connect.ts";
import { EXIT } from "#core/terminal/exit-codes.ts";
import { Failure } from "#core/terminal/failure.ts";
import { formatCount, formatLines, formatPeople, printMessage, printResult } from "#core/terminal/output.ts";
import type { Terminal } from "#core/terminal/terminal.ts";
import { refreshIfBehind } from "#list/commands/refresh-if-behind.ts";
import { deleteDue } from "#mirror/manage/delete-due.ts";
import { type Followed, follow } from "#mirror/manage/follow.ts";
import { acceptCommand } from "./mirror-accept.ts";
import { takeOverCommand } from "./mirror-take-over.ts";

type Options = { publicKey?: string; basis?: string; json?: boolean };

export const mirrorCommand = (terminal: Terminal): Command =>
  new Command("mirror")
    .description("follow a publisher once: show what its V1 shows, and nobody whom it does not show")
    // The subcommands have options of the same names.
    .enablePositionalOptions()
    .argument("[url]", "the publisher's folder (default: MIRROR_OF)")
    .option("--public-key <file>", "the publisher's Ed25519 keys, PEM (default: MIRROR_PUBLIC_KEY)")
    .option("--basis <text>", "your right to store and show this data, in your own words (default: MIRROR_BASIS)")
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      `
A worker with MIRROR_OF, MIRROR_PUBLIC_KEY and MIRROR_BASIS does the same every five minutes. Six hours after the last
signature of the publisher, V1 and the pages about people respond with 503, and after 30 more days everybody is deleted.
It needs an OPT_OUT_KEY of the mirror's own. People whom you or a holder hid here stay hidden. docs/MIRROR.md has the steps.

Examples:
  $ credence mirror https://publisher.example/mirror --public-key publisher.pem --basis "Agreement of 2026-11-02"
  $ credence mirror accept
  $ credence mirror take-over --basis "The publisher has closed; agreement of 2026-11-02, section 4" --yes`,
    )
    .action((url: string | undefined, options: Options) => followOnce(terminal, url, options))
    .addCommand(acceptCommand(terminal))
    .addCommand(takeOverCommand(terminal));

async function followOnce(terminal: Terminal, url: string | undefined, { json, ...options }: Options): Promise<void> {
  const { mirror, optOutKeys } = requireConfig(terminal);
  const settings = {
    url: url ?? mirror?.url,
    publicKeyPath: options.publicKey ?? mirror?.publicKeyPath,
    basis: options.basis ?? mirror?.basis,
  };
  const { url: from, publicKeyPath, basis } = settings;
  if (!from || !publicKeyPath || !basis) {
    throw new Failure(
      `The ${!from ? "URL of the publisher" : !publicKeyPath ? "public key (--public-key)" : "basis (--basis)"} is missing.`,
      "Name all three: credence mirror https://publisher.example/mirror --public-key publisher.pem --basis TEXT",
      EXIT.usage,
    );
  }
  await withDatabase(
    terminal,
    "mirror",
    async (database) => {
      const refreshStanding = () => refreshIfBehind(terminal, database);
      await deleteDue(database, "waiting", optOutKeys);
      const followed = await follow(database, { url: from, publicKeyPath, basis, optOutKeys, refreshStanding });
      if (followed === null) return printMessage(terminal, "Another process is asking the publisher now.");
      await refreshStanding();
      printResult(terminal, json, followed, describe(followed));
      if (followed.imported?.held) terminal.exitCode = EXIT.attention;
    },
    { writesAs: "import" },
  );
}

function describe({ created_at, fresh_until, imported }: Followed): string {
  if (imported === null) {
    return `Nothing new: the snapshot of ${created_at} is stored, and may be shown until ${fresh_until.toISOString()}.`;
  }
  const { added, changed, unchanged, opted_out, deleted, held } = imported;
  return formatLines(
    `Imported the snapshot of ${created_at}, which may be shown until ${fresh_until.toISOString()}.`,
    `Added ${added}, changed ${changed}, unchanged ${unchanged}, deleted ${deleted}.`,
    opted_out > 0 && `Skipped ${formatCount(opted_out, "line")} of people who opted out here.`,
    held > 0 &&
      `${formatPeople(held)} are missing, more than 1 %: they are shown to nobody, and stay stored for 30 days. \`credence mirror accept\` deletes them.`,
  );
}
