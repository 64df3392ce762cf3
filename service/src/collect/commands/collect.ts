import { setFlagsFromString } from "node:v8";
import { Command, Option } from "commander";
import { collectFiles } from "#collect/collect-files.ts";
import { CollectStopped } from "#collect/paced-client.ts";
import { reportPathOf } from "#collect/state-folder.ts";
import { type Collected, UnknownFieldsRefused } from "#collect/write-collected.ts";
import { EXIT } from "#core/terminal/exit-codes.ts";
import { Failure } from "#core/terminal/failure.ts";
import { formatCount, formatNumber, printMessage, printOnInterrupt, printResult } from "#core/terminal/output.ts";
import { type UpdateProgress, withProgress } from "#core/terminal/progress.ts";
import type { Terminal } from "#core/terminal/terminal.ts";
import { withKnownErased } from "#decisions/commands/known-erased.ts";
import {
  describeConverted,
  describeWrongTypes,
  unknownFieldsFailure,
  unknownFieldsOption,
} from "#snapshots/commands/field-report.ts";
import { createFieldCounts, type FieldCounts } from "#snapshots/format/field-counts.ts";
import { describeCollected, describeReplaced, needsAttention } from "./collect-result.ts";
import { addServerOptions, collectLive, nullsOf, type ServerCommandOptions } from "./collect-server.ts";

type Options = ServerCommandOptions & { fromFiles?: string[]; incomplete?: boolean; json?: boolean };

export const collectCommand = (terminal: Terminal): Command =>
  addServerOptions(
    new Command("collect")
      .description("make a snapshot of an old V1 server, or of saved V1 responses")
      .argument("[url]", "the old server, such as https://old.example")
      .requiredOption("--out <folder>", "the folder of the new snapshot")
      .option("--from-files <paths...>", "instead of a server: files and folders of saved V1 responses")
      .option("--basis <text>", "your right to copy the data; stored in the manifest"),
  )
    .option("--incomplete", "include people without all responses, with default values")
    .addOption(unknownFieldsOption())
    .addOption(
      new Option("--null-parts <action>", "what to do with null in activity_score, identity_score and skills_score")
        .choices(["reject", "zero"])
        .default("reject"),
    )
    .addOption(
      new Option(
        "--null-lists <action>",
        "what to do with null instead of verified_wallets, tags, passport_socials and passport_credentials",
      )
        .choices(["reject", "empty"])
        .default("reject"),
    )
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      `
Saved responses are JSON bodies of V1 (pages of the list, passports, credentials; any number per file) or lines
{"url": …, "status": …, "at": …, "body": …}. docs/TAKE-OVER.md describes the way from an old server to Credence.
A collection from a server can be stopped at any time: the same command continues it. With DATABASE_URL, people who
were erased there are left out.
Exit code 0: everything was collected. 3: some people or responses need attention; the report lists them.
4: refused, no snapshot was written.

Examples:
  $ credence collect --from-files ./responses --out ./snapshot
  $ credence collect https://old.example --basis "Contract of 2026-03-01 with Example Ltd" --out ./snapshot
  $ credence collect https://old.example --basis "The same contract" --since ./snapshot --out ./tonight`,
    )
    .action((url: string | undefined, options: Options) => collect(terminal, url, options));

async function collect(terminal: Terminal, url: string | undefined, options: Options): Promise<void> {
  if ((url === undefined) === (options.fromFiles === undefined)) {
    throw new Failure(
      "Expected either the URL of an old server or --from-files.",
      "Example: credence collect --from-files ./responses --out ./snapshot",
      EXIT.usage,
    );
  }
  // All garbage of this command is young. V8 would let the space for it grow: 120 MiB more memory
  // for a fifth more speed.
  setFlagsFromString("--semi-space-growth-factor=1");
  const fields = createFieldCounts();
  try {
    if (url !== undefined) await collectUrl(terminal, url, options, fields);
    else await collectSaved(terminal, options.fromFiles ?? [], options, fields);
  } catch (error) {
    if (error instanceof UnknownFieldsRefused) throw unknownFieldsFailure(terminal, error.fields);
    if (error instanceof CollectStopped) throw new Failure(error.message, error.advice);
    throw error;
  }
}

async function collectSaved(terminal: Terminal, paths: string[], options: Options, fields: FieldCounts): Promise<void> {
  const { out, unknownFields, incomplete = false, basis } = options;
  printOnInterrupt(terminal, "No snapshot was written. Run the same command again.");
  const collected = await withKnownErased(terminal, "collect", (findErased) =>
    withResponseProgress(terminal, (updateRead) =>
      withProgress(terminal, "Wrote", (updateWritten) =>
        collectFiles(paths, out, {
          source: "saved responses",
          collected: basis === undefined ? {} : { basis },
          incomplete,
          unknownFields,
          nulls: nullsOf(options),
          since: options.since ?? null,
          fields,
          findErased,
          onRead: (responses) => updateRead(responses),
          onWritten: (people) => updateWritten(people),
        }),
      ),
    ),
  );
  printMessage(terminal, `Read ${formatCount(collected.responses, "response")}.`);
  printCollected(terminal, collected, options, fields);
}

const withResponseProgress = <Result>(
  terminal: Terminal,
  work: (update: UpdateProgress) => Promise<Result>,
): Promise<Result> => withProgress(terminal, "Read", work, (count) => formatCount(count, "response"));

async function collectUrl(terminal: Terminal, url: string, options: Options, fields: FieldCounts): Promise<void> {
  const collected = await collectLive(terminal, url, options, fields);
  if (collected === null) return;
  const { found, total, passes, isUnsettled, keptResponses } = collected;
  if (passes > 0) {
    const reported =
      total === null ? "the server does not report a total" : `the server reports ${formatNumber(total)}`;
    printMessage(
      terminal,
      `Found ${formatNumber(found)} people in ${formatCount(passes, "pass", "passes")}; ${reported}.`,
    );
  }
  if (isUnsettled) {
    printMessage(
      terminal,
      `The list still changed in pass ${passes}, the last one. Collect what is new with --since ${options.out} and another --out.`,
    );
  }
  printCollected(terminal, collected, options, fields);
  if (keptResponses !== null) {
    printMessage(
      terminal,
      `The responses are kept in ${keptResponses}, because some were rejected. After a correction, or with other options, run the same command with --from-files ${keptResponses} instead of the URL, and another --out.`,
    );
  }
}

const CORRECT_THEM =
  "They have no single lossless form in V1: correct them in the responses, and collect from files again.";
const REPLACE_NULLS =
  "--null-parts zero replaces null in the component scores by 0, and --null-lists empty a list that is null by an empty one.";

const adviceOn = (fields: FieldCounts): string =>
  fields.listWrongTypes().some(({ problem }) => problem.startsWith("is null"))
    ? `${CORRECT_THEM}\n${REPLACE_NULLS}`
    : CORRECT_THEM;

/** Prints the result, and what to do about values of a wrong type. */
function printCollected(terminal: Terminal, collected: Collected, options: Options, fields: FieldCounts): void {
  const { out, incomplete, json } = options;
  const report = reportPathOf(out);
  const { counts, manifest, replaced, kept } = collected;
  const converted = fields.listConverted();
  const result = {
    people: manifest.people,
    credentials: manifest.credentials,
    ...counts,
    kept,
    converted,
    replaced,
    report,
  };
  printResult(terminal, json, result, describeCollected(collected, out, report));
  for (const line of [
    ...describeConverted(fields),
    ...describeReplaced(replaced),
    ...describeWrongTypes(fields, adviceOn(fields)),
  ]) {
    printMessage(terminal, line);
  }
  if (counts.incomplete > 0 && !incomplete) {
    printMessage(terminal, "Incomplete people were left out. Add --incomplete to include them with default values.");
  }
  if (needsAttention(counts) || manifest.people === 0) terminal.exitCode = EXIT.attention;
}
