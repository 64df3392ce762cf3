// JSON printed by hand where JSON.stringify would not be exact enough: numbers without an exponent, fields in V1's order.

export function printText(text: string | null): string {
  return JSON.stringify(text);
}

export function printTexts(texts: readonly string[]): string {
  return JSON.stringify(texts);
}

/** The shortest decimal that reads back as the same number, never with an exponent. */
export function printNumber(value: number | null): string {
  if (value === null) return "null";
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
