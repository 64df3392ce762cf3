import type { Command } from "commander";
import { parseDate } from "#core/config/config-values.ts";
import { EXIT } from "#core/terminal/exit-codes.ts";
import { Failure } from "#core/terminal/failure.ts";
import { optionParser } from "#core/terminal/parse.ts";

// The options of all reports of usage.

export type ReportOptions = { since?: string; json?: boolean; csv?: boolean };

const DEFAULT_DAYS = 30;
const DAY_MS = 86_400_000;

export function withReportOptions(command: Command): Command {
  return command
    .option(
      "--since <date>",
      `first day, such as 2026-12-31 (default: ${DEFAULT_DAYS} days ago)`,
      optionParser(parseDay),
    )
    .option("--json", "print the result as JSON")
    .option("--csv", "print the result as CSV");
}

const dayOf = (date: Date): string => date.toISOString().slice(0, 10);
const parseDay = (text: string): string => dayOf(parseDate(text));

export function firstDay({ since }: ReportOptions): string {
  return since ?? dayOf(new Date(Date.now() - (DEFAULT_DAYS - 1) * DAY_MS));
}

export function refuseTwoFormats({ json, csv }: ReportOptions): void {
  if (json && csv) throw new Failure("--json and --csv exclude each other.", "Remove one of them.", EXIT.usage);
}
