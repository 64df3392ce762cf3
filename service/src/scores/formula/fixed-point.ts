/**
 * A fixed-point score: whole points and millionths of a point, both integers. Sums are exact in any
 * order. Sums of doubles are not: (0.1 + 0.2) + 0.3 differs from 0.1 + (0.2 + 0.3).
 */
export type FixedPoint = { whole: number; millionths: number };

const MILLION = 1_000_000;

/** Rounds the decimal form of the number, not its binary form, to six decimals, halves up. */
export function toFixedPoint(score: number): FixedPoint {
  // String() prints small numbers with an exponent. At most one millionth results.
  if (score < 1 / MILLION) return { whole: 0, millionths: Math.round(score * MILLION) };
  const [whole, fraction = "0"] = String(score).split(".");
  return carry({ whole: Number(whole), millionths: Math.round(Number(`0.${fraction}e6`)) });
}

export function sumFixedPoints(points: readonly FixedPoint[]): FixedPoint {
  let whole = 0;
  let millionths = 0;
  for (const addend of points) {
    whole += addend.whole;
    millionths += addend.millionths;
  }
  return carry({ whole, millionths });
}

/** Returns the double nearest to the decimal number. */
export function toScore({ whole, millionths }: FixedPoint): number {
  return millionths === 0 ? whole : Number(`${whole}.${String(millionths).padStart(6, "0")}`);
}

const carry = ({ whole, millionths }: FixedPoint): FixedPoint =>
  millionths < MILLION
    ? { whole, millionths }
    : { whole: whole + Math.floor(millionths / MILLION), millionths: millionths % MILLION };
