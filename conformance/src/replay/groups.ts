import type { Difference, DifferenceClass, Explanation } from "./difference.ts";
import type { Endpoint } from "./log-line.ts";

export type Example = { line: number; sizeBytes: number; old: string; new: string; curlOld: string; curlNew: string };

export type Group = {
  class: DifferenceClass;
  explanation: Explanation | null;
  /** Of a decided difference: where the decision is documented. */
  decision?: string | undefined;
  /** Of an accepted difference: the name of its kind. */
  accepted?: string | undefined;
  kind: string;
  endpoint: Endpoint;
  field: string;
  differences: number;
  responses: number;
  example: Example;
};

// A server can send any number of different fields. Further groups of a class are counted as one.
const MAX_GROUPS = 500;

/** Groups differences by kind and field, and keeps the example with the smallest responses. */
export class Groups {
  readonly #groups = new Map<string, Group>();

  add(endpoint: Endpoint, differences: readonly Difference[], exampleOf: (difference: Difference) => Example): void {
    const counted = new Set<Group>();
    for (const difference of differences) {
      const group = this.#groupOf(endpoint, difference, exampleOf);
      group.differences += 1;
      if (counted.has(group)) continue;
      counted.add(group);
      group.responses += 1;
      const example = exampleOf(difference);
      if (example.sizeBytes < group.example.sizeBytes) group.example = example;
    }
  }

  /**
   * The groups, those that matter most first. Without a newer score, nothing can have moved
   * people to other pages.
   */
  list(): Group[] {
    const groups = [...this.#groups.values()];
    const hasChanges = groups.some(
      (group) => group.class === "data" && (group.explanation === "newer" || group.explanation === "noise"),
    );
    return groups
      .map((group) => (group.explanation === "moved" && !hasChanges ? { ...group, explanation: null } : group))
      .sort((a, b) => rank(a) - rank(b) || b.responses - a.responses);
  }

  #groupOf(endpoint: Endpoint, difference: Difference, exampleOf: (difference: Difference) => Example): Group {
    const { class: ofClass, explanation } = difference;
    const isNew = !this.#groups.has(keyOf(endpoint, difference));
    const { kind, field } =
      isNew && this.#groups.size >= MAX_GROUPS ? { kind: "further differences", field: "" } : difference;
    const key = keyOf(endpoint, { class: ofClass, explanation, kind, field });
    const known = this.#groups.get(key);
    if (known !== undefined) return known;
    const example = exampleOf(difference);
    const { decision, accepted } = difference;
    const counts = { differences: 0, responses: 0 };
    const group = {
      class: ofClass,
      explanation,
      kind,
      endpoint,
      field,
      ...counts,
      example,
      ...(decision && { decision }),
      ...(accepted && { accepted }),
    };
    this.#groups.set(key, group);
    return group;
  }
}

const keyOf = (
  endpoint: Endpoint,
  { class: ofClass, explanation, kind, field }: Pick<Difference, "class" | "explanation" | "kind" | "field">,
): string => JSON.stringify([ofClass, explanation, kind, endpoint, field]);

const rank = ({ class: ofClass, explanation }: Group): number =>
  explanation !== null ? 2 : ofClass === "form" ? 0 : 1;

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
