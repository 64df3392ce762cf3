import { InvalidArgumentError } from "commander";

export function parseCount(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(count)) throw new InvalidArgumentError("Give a whole number.");
  return count;
}

/** Makes a parser of the configuration, which throws a sentence without its capital, one of a flag. */
export const flag =
  <Value>(parse: (text: string) => Value) =>
  (text: string): Value => {
    try {
      return parse(text);
    } catch (error) {
      const { message } = error as Error;
      throw new InvalidArgumentError(message.charAt(0).toUpperCase() + message.slice(1));
    }
  };

export function parseSeed(text: string): number {
  const seed = parseCount(text);
  if (seed >= 2 ** 32) throw new InvalidArgumentError("Give a number below 4294967296.");
  return seed;
}
