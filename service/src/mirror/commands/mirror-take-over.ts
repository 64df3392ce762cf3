import { Command } from "commander";
import { withDatabase } from "#core/process/connect.ts";
import { confirm } from "#core/terminal/confirm.ts";
import { formatDuration, formatLines, formatPeople, printResult } from "#core/terminal/output.ts";
import type { Terminal } from "#core/terminal/terminal.ts";
import { findTakeOver, takeOver } from "#mirror/manage/take-over.ts";

type Options = { basis: string; yes?: boolean; json?: boolean };

export const takeOverCommand = (terminal: Terminal): Command =>
  new Command("take-over")
    .description("go on without the publisher, for good: you answer for these people from now on")
    .requiredOption("--basis <text>", "your right to go on with this data, in your own words")
    .option("--yes", "do not ask")
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      `
V1 then shows people without a limit of time, and \`credence publish\` continues the publisher's feed with a key of yours.
Imports skip people who left while this server was a mirror, until you allow them: \`credence opt-outs\`. Who waits for
\`credence mirror accept\` stays hidden, and is deleted as before, unless \`credence passport unhide\` shows them. Of several
mirrors, the one with the newest snapshot should take over (\`credence status\`): another one would be behind the rest.
The audit log has an entry.

Example:
  $ credence mirror take-over --basis "The publisher has closed; agreement of 2026-11-02, section 4" --yes`,
    )
    .action(({ basis, yes = false, json }: Options) =>
      withDatabase(
        terminal,
        "mirror",
        async (database) => {
          const { url, ageMs, people: taken } = await findTakeOver(database);
          const state = `This mirror has ${formatPeople(taken)}, as ${url} showed them ${formatDuration(ageMs)} ago.`;
          const question = `${state} Go on without it, for good?`;
          if (!(await confirm(terminal, question, yes, "Add --yes to confirm."))) return;
          const result = await takeOver(database, basis);
          const { people, held } = result;
          const text = formatLines(
            `This server took over ${formatPeople(people)}. Remove the MIRROR_ settings of its workers.`,
            held > 0 &&
              `${formatPeople(held)} whom the last snapshot lacked stay hidden, and are deleted after 30 days: show them with \`credence passport unhide\`, or delete them with \`credence mirror accept\`.`,
          );
          printResult(terminal, json, result, text);
        },
        { writesAs: "import" },
      ),
    );
