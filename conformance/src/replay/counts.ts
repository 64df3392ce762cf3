const MAX_NAMES = 50;

/** Counts by name. The number of names is bounded, because they come from a log or a server. */
export class Counts {
  readonly #counts = new Map<string, number>();

  add(name: string): void {
    const key = this.#counts.has(name) || this.#counts.size < MAX_NAMES ? name : "(others)";
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  /** The names, the most frequent first. */
  list(): Record<string, number> {
    return Object.fromEntries([...this.#counts].sort(([, a], [, b]) => b - a));
  }
}
