// JSON.stringify prints very small and very large numbers with an exponent, and V1 does not.

declare global {
  interface JSON {
    rawJSON(text: string): unknown;
  }
}

/** A number as JSON.stringify should get it: itself, or, if it would be printed with an exponent, its text. */
export function exact(value: number | null): unknown {
  if (value === null || value === 0) return value;
  const size = Math.abs(value);
  return size >= 1e-6 && size < 1e21 ? value : JSON.rawJSON(printNumber(value));
}

/** The shortest decimal that reads back as the same number, never with an exponent. */
export function printNumber(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError(`${value} has no place in JSON`);
  // Minus zero prints as 0.
  const shortest = String(value);
  const [mantissa = "", exponent] = shortest.split("e");
  if (exponent === undefined) return shortest;
  const [, sign, whole, fraction = ""] = /^(-?)(\d)\.?(\d*)$/.exec(mantissa) as unknown as [
    string,
    string,
    string,
    string,
  ];
  const digits = whole + fraction;
  const point = 1 + Number(exponent);
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  return `${sign}${digits.padEnd(point, "0")}`;
}
