/** A stream of pseudo-random choices: the same seed gives the same choices, everywhere and for ever. */
export type Random = {
  /** A whole number from min to max, both included. */
  int: (min: number, max: number) => number;
  pick: <Item>(items: readonly [Item, ...Item[]]) => Item;
  chance: (probability: number) => boolean;
  hex: (digits: number) => string;
};

/** mulberry32: small, quick, and good enough for invented people. Not for secrets. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));
  return {
    int,
    pick: (items) => items[int(0, items.length - 1)] ?? items[0],
    chance: (probability) => next() < probability,
    hex: (digits) => Array.from({ length: digits }, () => int(0, 15).toString(16)).join(""),
  };
}
