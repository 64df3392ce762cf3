import { InvalidArgumentError } from "commander";

export function parseCount(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(count)) throw new InvalidArgumentError("Expected a whole number.");
  return count;
}

export function parseSeed(text: string): number {
  const seed = parseCount(text);
  if (seed >= 2 ** 32) throw new InvalidArgumentError("Expected a number below 4294967296.");
  return seed;
}

/** Makes a parser of an option from a parser of a configuration value. */
export const optionParser =
  <Value>(parse: (text: string) => Value) =>
  (text: string): Value => {
    try {
      return parse(text);
    } catch (error) {
      const { message } = error as Error;
      throw new InvalidArgumentError(message.charAt(0).toUpperCase() + message.slice(1));
    }
  };
