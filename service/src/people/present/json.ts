// JSON.stringify prints very small and very large numbers with an exponent. V1 prints none.

declare global {
  interface JSON {
    rawJSON(text: string): unknown;
  }
}

/** Converts a number to a value that JSON.stringify prints without an exponent. */
export function withoutExponent(value: number | null): unknown {
  if (value === null || value === 0) return value;
  const size = Math.abs(value);
  return size >= 1e-6 && size < 1e21 ? value : JSON.rawJSON(printNumber(value));
}

/** Prints the shortest decimal that parses to the same number, without an exponent. */
export function printNumber(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError(`JSON cannot represent ${value}`);
  // Minus zero prints as 0.
  const shortest = String(value);
  const [mantissa = "", exponent] = shortest.split("e");
  if (exponent === undefined) return shortest;
  const sign = value < 0 ? "-" : "";
  const digits = mantissa.replace(/[-.]/g, "");
  const point = 1 + Number(exponent);
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  return `${sign}${digits.padEnd(point, "0")}`;
}
