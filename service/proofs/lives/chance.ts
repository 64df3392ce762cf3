import { createHash } from "node:crypto";

/** Random choices that a seed repeats. */
export class Chance {
  #state: Buffer;
  constructor(seed: string) {
    this.#state = Buffer.from(seed);
  }
  #next(): number {
    this.#state = createHash("sha256").update(this.#state).digest();
    return this.#state.readUInt32LE() / 2 ** 32;
  }
  below = (limit: number): number => Math.floor(this.#next() * limit);
  flip = (probability: number): boolean => this.#next() < probability;
  pick = <Item>(items: readonly Item[]): Item => items[this.below(items.length)] as Item;
  shuffle = <Item>(items: readonly Item[]): Item[] =>
    items
      .map((item) => ({ item, place: this.#next() }))
      .toSorted((a, b) => a.place - b.place)
      .map(({ item }) => item);
  /** At least so many of the items, in any order. */
  some = <Item>(items: readonly Item[], atLeast = 1): Item[] =>
    this.shuffle(items).slice(0, atLeast + this.below(items.length - atLeast + 1));
}
