// Finds every substring that more than `threshold` people have in their names, and records the
// ranks of these people. Searches for such a keyword are answered from the result.
//
// The substrings form a prefix tree. Each pass over all names adds a few levels to the tree, then
// prunes the nodes that too few people share. A substring is shared by no more people than its
// prefixes, so pruning loses nothing. Memory holds the tree, never the names.

/** A substring that more than `threshold` people have in their names. */
export type Substring = {
  text: string;
  /** How many people match. */
  people: number;
  /** The ranks of the first `maxRanks` matches. */
  ranks: number[];
  /** After these, the rank of every `anchorInterval`-th match, up to match `lastReachable`. */
  anchors: number[];
};

export type SubstringOptions = {
  threshold: number;
  maxRanks: number;
  anchorInterval: number;
  /** The last match that a client can page to. */
  lastReachable: number;
};

/** Count all names, in passes until `endPass` returns false. Then record the ranks. Then list. */
export type SubstringFinder = {
  /** Counts the substrings of a name that `people` people have. */
  countName: (name: string, people: number) => void;
  /** Prunes the tree. Returns true if all names must be counted again for longer substrings. */
  endPass: () => boolean;
  /** Records the rank of a person. Call it for all people, in the order of their ranks. */
  recordRank: (name: string, rank: number) => void;
  list: () => Generator<Substring>;
};

/** A node of the prefix tree. Its substring is the path from the root: a code point per edge. */
type TrieNode = {
  children: Map<number, TrieNode> | null;
  people: number;
  /** The number of the last name that was counted here. A substring counts once per name. */
  lastName: number;
  matches: number;
  /** Ranks, followed by anchors. */
  recorded: number[] | null;
};

/** In code points. Few names contain longer substrings: the index finds these names. */
const MAX_SUBSTRING_LENGTH = 32;

/** How many levels the tree grows by in a pass. */
const LEVELS_PER_PASS = 2;

/**
 * Bounds the memory for any set of names. Substrings beyond the limits are not listed; the index of
 * names finds them, slower. Measured: 10 million invented people have 14,000 shared substrings.
 */
export const SUBSTRING_LIMITS = { maxNodes: 500_000, maxListed: 20_000 };

export function createSubstringFinder(options: SubstringOptions, limits = SUBSTRING_LIMITS): SubstringFinder {
  const { threshold, maxRanks, anchorInterval, lastReachable } = options;
  const root = createNode();
  let nodeCount = 0;
  /** The levels that the current pass counts. */
  let [minDepth, maxDepth] = [1, LEVELS_PER_PASS];
  let nameNumber = 0;
  /** The code points of the current name. Reused, to save an allocation per name. */
  const codePoints: number[] = [];

  function startName(name: string): void {
    nameNumber += 1;
    codePoints.length = 0;
    for (let at = 0; at < name.length; at += 1) {
      const codePoint = name.codePointAt(at) as number;
      codePoints.push(codePoint);
      if (codePoint > 0xffff) at += 1;
    }
  }

  /** Counts the substrings that begin at a position of the name, and adds missing nodes. */
  function countFrom(start: number, people: number): void {
    let node = root;
    for (let depth = 1; depth <= maxDepth && start + depth <= codePoints.length; depth += 1) {
      const codePoint = codePoints[start + depth - 1] as number;
      let child = node.children?.get(codePoint);
      if (child === undefined) {
        // At the limit, no node is added until the pass ends, so all counts are complete.
        if (depth < minDepth || nodeCount >= limits.maxNodes) return;
        child = createNode();
        nodeCount += 1;
        node.children ??= new Map();
        node.children.set(codePoint, child);
      }
      if (depth >= minDepth && child.lastName !== nameNumber) {
        child.lastName = nameNumber;
        child.people += people;
      }
      node = child;
    }
  }

  /** Removes nodes with at most `maxPeople` people. Returns the height of the tree. */
  function prune(maxPeople: number): number {
    nodeCount = 0;
    const pruneBelow = (node: TrieNode): number => {
      let height = 0;
      for (const [codePoint, child] of node.children ?? []) {
        if (child.people <= maxPeople) node.children?.delete(codePoint);
        else {
          nodeCount += 1;
          height = Math.max(height, 1 + pruneBelow(child));
        }
      }
      return height;
    };
    return pruneBelow(root);
  }

  /** Prunes the substrings with the fewest people if there are more than the limit. */
  function pruneToLimit(): void {
    if (nodeCount <= limits.maxListed) return;
    const people = [...listBelow(root, "")].map((substring) => substring.people).sort((a, b) => b - a);
    prune(people[limits.maxListed - 1] ?? 0);
  }

  function recordMatch(node: TrieNode, rank: number): void {
    node.matches += 1;
    const isAnchor = node.matches <= lastReachable && node.matches % anchorInterval === 0;
    if (node.matches > maxRanks && !isAnchor) return;
    node.recorded ??= [];
    node.recorded.push(rank);
  }

  function* listBelow(node: TrieNode, prefix: string): Generator<Substring> {
    for (const [codePoint, child] of node.children ?? []) {
      const text = prefix + String.fromCodePoint(codePoint);
      const recorded = child.recorded ?? [];
      yield { text, people: child.people, ranks: recorded.slice(0, maxRanks), anchors: recorded.slice(maxRanks) };
      yield* listBelow(child, text);
    }
  }

  return {
    countName(name, people) {
      startName(name);
      for (let start = 0; start < codePoints.length; start += 1) countFrom(start, people);
    },
    endPass() {
      const hasGrown = prune(threshold) === maxDepth;
      minDepth += LEVELS_PER_PASS;
      maxDepth += LEVELS_PER_PASS;
      if (hasGrown && maxDepth <= MAX_SUBSTRING_LENGTH) return true;
      pruneToLimit();
      return false;
    },
    recordRank(name, rank) {
      startName(name);
      for (let start = 0; start < codePoints.length; start += 1) {
        let node: TrieNode | undefined = root;
        for (let at = start; at < codePoints.length; at += 1) {
          node = node.children?.get(codePoints[at] as number);
          if (node === undefined) break;
          if (node.lastName !== nameNumber) {
            node.lastName = nameNumber;
            recordMatch(node, rank);
          }
        }
      }
    },
    list: () => listBelow(root, ""),
  };
}

const createNode = (): TrieNode => ({ children: null, people: 0, lastName: 0, matches: 0, recorded: null });
