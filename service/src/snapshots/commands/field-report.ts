import { Option } from "commander";
import { EXIT } from "#core/terminal/exit-codes.ts";
import { Failure } from "#core/terminal/failure.ts";
import { formatCount, formatNumber } from "#core/terminal/output.ts";
import type { Terminal } from "#core/terminal/terminal.ts";
import { printable } from "#core/terminal/unprintable.ts";
import type { FieldCount, FieldCounts } from "#snapshots/format/field-counts.ts";

export const unknownFieldsOption = (): Option =>
  new Option("--unknown-fields <action>", "what to do with fields that V1 does not have")
    .choices(["refuse", "drop"])
    .default("refuse");

/** The rejects file and --json have all of them. */
const MAX_ROWS = 100;

const row = ({ count }: FieldCount, text: string): string => `${formatNumber(count).padStart(12)}  ${printable(text)}`;

const rows = <Row extends FieldCount>(fields: readonly Row[], describe: (field: Row) => string): string[] => [
  ...fields.slice(0, MAX_ROWS).map((field) => row(field, describe(field))),
  ...(fields.length > MAX_ROWS ? [`              and ${formatNumber(fields.length - MAX_ROWS)} more`] : []),
];

const quote = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** This command with another option, as it can be pasted into a shell. */
const commandWith = (terminal: Terminal, option: string): string =>
  printable(["credence", ...terminal.args.map(quote), option].join(" "));

/** All unknown fields with their counts, and the command that drops them. */
export function describeUnknown(
  terminal: Terminal,
  fields: readonly FieldCount[],
): { message: string; advice: string } {
  return {
    message: [
      `The people have ${formatCount(fields.length, "field")} that V1 does not have:`,
      ...rows(fields, ({ field }) => field),
    ].join("\n"),
    advice: `V1 is frozen, so these fields cannot be kept. To drop them, run:\n  ${commandWith(terminal, "--unknown-fields drop")}`,
  };
}

export function unknownFieldsFailure(terminal: Terminal, fields: readonly FieldCount[]): Failure {
  const { message, advice } = describeUnknown(terminal, fields);
  return new Failure(message, advice, EXIT.refused);
}

/** All values of a wrong type with their counts, and what to do about them. */
export function describeWrongTypes(counts: FieldCounts, advice: string): string[] {
  const fields = counts.listWrongTypes();
  if (fields.length === 0) return [];
  return ["Values of a wrong type:", ...rows(fields, ({ field, problem }) => `${field} ${problem}`), advice];
}

/** All values that were converted without a loss, with their counts. */
export function describeConverted(counts: FieldCounts): string[] {
  const fields = counts.listConverted();
  if (fields.length === 0) return [];
  return [
    "Converted to the types of V1, without a loss:",
    ...rows(fields, ({ field, conversion }) => `${field}, ${conversion}`),
  ];
}
