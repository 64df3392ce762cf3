import { type Command, InvalidArgumentError } from "commander";
import { parseDate } from "#core/config/config-values.ts";
import { integerParser, optionParser } from "#core/terminal/parse.ts";
import { isOneLine, printable } from "#core/terminal/unprintable.ts";
import type { KeyOwner } from "#keys/manage/issue-key.ts";

/** The largest value of the column. */
export const MAX_POINTS = 2_147_483_647;

export type OwnerOptions = { label: string; contact: string; expires?: Date; limit?: number };

/** Adds the options that describe the owner of a key. */
export function addOwner(command: Command, isRequired: boolean): Command {
  const add = (flags: string, description: string): Command =>
    isRequired ? command.requiredOption(flags, description, parseText) : command.option(flags, description, parseText);
  add("--label <text>", "what the key is for");
  add("--contact <text>", "how to reach its owner");
  return addExpiry(command)
    .option("--limit <points>", "points per 10 seconds, instead of the default limit", integerParser(1, MAX_POINTS))
    .option("--json", "print the result as JSON");
}

export const ownerOf = ({ label, contact, expires, limit }: OwnerOptions): KeyOwner => ({
  label,
  contact,
  expiresAt: expires ?? null,
  pointsLimit: limit ?? null,
});

function parseText(text: string): string {
  if (!isOneLine(text)) throw new InvalidArgumentError("Expected one line of text.");
  return text.trim();
}

export function addExpiry(command: Command): Command {
  const description = "expiry date, such as 2027-12-31 (start of the day, UTC)";
  return command.option("--expires <date>", description, optionParser(parseFutureDate));
}

function parseFutureDate(text: string): Date {
  const date = parseDate(text);
  if (date.getTime() <= Date.now()) throw new Error("expected a date in the future.");
  return date;
}

/** The owner of a key as texts name it. Another program may have stored anything. */
export const describeOwner = ({ label, contact }: { label: string; contact: string }): string =>
  `${printable(label)} (${printable(contact)})`;
