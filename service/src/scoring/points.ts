/**
 * A score counted in whole points and millionths of a point, both whole numbers: sums are exact, whatever order they are
 * made in. As doubles, 0.1 and 0.2 and 0.3 come to one thing from the left and to another from the right.
 */
export type Points = { whole: number; millionths: number };

const MILLION = 1_000_000;

/** What follows the sixth decimal is rounded, halves up: of the number as it is written, not of the double that stands for it. */
export function toPoints(score: number): Points {
  // Written with an exponent, and too small for more than one millionth.
  if (score < 1 / MILLION) return { whole: 0, millionths: Math.round(score * MILLION) };
  const [whole, fraction = "0"] = String(score).split(".");
  return carry({ whole: Number(whole), millionths: Math.round(Number(`0.${fraction}e6`)) });
}

export function sumPoints(points: readonly Points[]): Points {
  let whole = 0;
  let millionths = 0;
  for (const one of points) {
    whole += one.whole;
    millionths += one.millionths;
  }
  return carry({ whole, millionths });
}

/** The double nearest to the decimal number. */
export function toScore({ whole, millionths }: Points): number {
  return millionths === 0 ? whole : Number(`${whole}.${String(millionths).padStart(6, "0")}`);
}

const carry = ({ whole, millionths }: Points): Points =>
  millionths < MILLION
    ? { whole, millionths }
    : { whole: whole + Math.floor(millionths / MILLION), millionths: millionths % MILLION };
