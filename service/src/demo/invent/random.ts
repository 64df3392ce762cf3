/** Pseudo-random values. The same seed and stream always produce the same values. */
export type Random = {
  /** From 0 (inclusive) to 1 (exclusive). */
  fraction: () => number;
  /** An integer from min to max, both inclusive. */
  int: (min: number, max: number) => number;
  pick: <Item>(items: readonly [Item, ...Item[]]) => Item;
  /** Like `pick`, but earlier items are more likely. */
  pickCommon: <Item>(items: readonly [Item, ...Item[]]) => Item;
  chance: (probability: number) => boolean;
  hex: (digits: number) => string;
};

/** sfc32: fast, and with enough state for millions of distinct streams. Not for secrets. */
export function randomFrom(seed: number, stream: number): Random {
  let a = seed >>> 0;
  let b = stream >>> 0;
  let c = Math.floor(stream / 2 ** 32) >>> 0;
  let counter = 1;
  const next = (): number => {
    const result = (a + b + counter) >>> 0;
    counter = (counter + 1) >>> 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) >>> 0;
    c = ((c << 21) | (c >>> 11)) >>> 0;
    c = (c + result) >>> 0;
    return result;
  };
  // The first values of adjacent seeds are correlated: discard 12 of them.
  for (let round = 0; round < 12; round += 1) next();

  const fraction = () => next() / 2 ** 32;
  const int = (min: number, max: number) => min + Math.floor(fraction() * (max - min + 1));
  const hex8 = () => next().toString(16).padStart(8, "0");
  return {
    fraction,
    int,
    pick: (items) => items[int(0, items.length - 1)] ?? items[0],
    pickCommon: (items) => items[Math.floor(items.length * fraction() ** 1.15)] ?? items[0],
    chance: (probability) => fraction() < probability,
    hex: (digits) =>
      Array.from({ length: Math.ceil(digits / 8) }, hex8)
        .join("")
        .slice(0, digits),
  };
}
