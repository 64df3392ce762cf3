import { InvalidArgumentError } from "commander";

export function parseCount(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(count)) throw new InvalidArgumentError("Give a whole number.");
  return count;
}

export function parseSeed(text: string): number {
  const seed = parseCount(text);
  if (seed >= 2 ** 32) throw new InvalidArgumentError("Give a number below 4294967296.");
  return seed;
}
