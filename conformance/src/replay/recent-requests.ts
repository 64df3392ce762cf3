import { hash } from "node:crypto";

/**
 * Remembers the most recent distinct requests, so that a log of any size needs a bounded memory. A
 * request that was forgotten is replayed again.
 */
export class RecentRequests {
  readonly #capacity: number;
  // Two generations: to remove single entries in their order of insertion from a Set is slow.
  #newer = new Set<string>();
  #older = new Set<string>();

  /** At least `capacity` requests are remembered, and at most twice as many. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Adds a request. Returns whether it was known. */
  add(request: string): boolean {
    // A digest has a fixed size; a request can have many kilobytes.
    const digest = hash("sha256", request, "base64");
    const isKnown = this.#newer.has(digest) || this.#older.has(digest);
    this.#newer.add(digest);
    if (this.#newer.size >= this.#capacity) {
      this.#older = this.#newer;
      this.#newer = new Set();
    }
    return isKnown;
  }
}
