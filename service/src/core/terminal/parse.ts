import { InvalidArgumentError } from "commander";

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

/** Makes a parser of whole numbers. */
export const integerParser = (min: number, max = Number.MAX_SAFE_INTEGER) =>
  optionParser((text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
    throw new Error(`expected a whole number ${range}.`);
  });
