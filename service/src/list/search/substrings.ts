// Finds every substring that more than `threshold` people have in their name, and records the ranks
// of these people in the standing. A search for such a substring, a heavy keyword, is answered from
// the result.
//
// The substrings form a prefix tree. Each pass over all names adds a few levels to the tree, then
// prunes the nodes that too few people share. A substring is shared by no more people than its
// prefixes, so pruning loses nothing. Only the tree is kept in memory, not the names.

/** A substring that more than `threshold` people have in their name. */
export type Substring = {
  text: string;
  /** How many people match. */
  people: number;
  /** The ranks of the first `maxRanks` matches. */
  ranks: number[];
  /**
   * Anchors: beyond `maxRanks`, the ranks of the matches whose number is a multiple of
   * `anchorInterval`, up to match `lastReachable`. A search for a later page starts at one.
   */
  anchors: number[];
};

export type SubstringOptions = {
  threshold: number;
  /** A multiple of `anchorInterval`. */
  maxRanks: number;
  anchorInterval: number;
  /** The last match that a client can page to. */
  lastReachable: number;
};

/**
 * Usage: `countName` for all names, then `endPass`; again, while it returns true. Then `recordRank`
 * for all people, then `list`.
 */
export type SubstringFinder = {
  /** Counts the substrings of a distinct name. `people` is the number of people with this name. */
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
  /** The number of the name that visited this node last: a substring counts once per name. */
  lastNameNumber: number;
  /** Ranks seen by `recordRank`. */
  matches: number;
  /** Ranks, followed by anchors. */
  recorded: number[] | null;
};

/** In code points. Longer substrings are rarely shared; a search for one uses the names table. */
const MAX_SUBSTRING_LENGTH = 32;

/** How many levels the tree grows by in a pass. */
const LEVELS_PER_PASS = 2;

/**
 * Limits on memory, whatever the names are. Substrings beyond them are not listed; a search for one
 * uses the names table, which is slower. Ten million invented people have 14,000 heavy keywords.
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
    for (let index = 0; index < name.length; index += 1) {
      const codePoint = name.codePointAt(index) as number;
      codePoints.push(codePoint);
      if (codePoint > 0xffff) index += 1;
    }
  }

  /** Counts the substrings that begin at a position of the name, and adds missing nodes. */
  function countFrom(start: number, people: number): void {
    let node = root;
    for (let depth = 1; depth <= maxDepth && start + depth <= codePoints.length; depth += 1) {
      const codePoint = codePoints[start + depth - 1] as number;
      let child = node.children?.get(codePoint);
      if (child === undefined) {
        // At the limit, no node is added for the rest of the pass: a node that is added later would
        // have missed the names before it.
        if (depth < minDepth || nodeCount >= limits.maxNodes) return;
        child = createNode();
        nodeCount += 1;
        node.children ??= new Map();
        node.children.set(codePoint, child);
      }
      if (depth >= minDepth && child.lastNameNumber !== nameNumber) {
        child.lastNameNumber = nameNumber;
        child.people += people;
      }
      node = child;
    }
  }

  /** Removes nodes with this number of people or fewer. Returns the height of the tree. */
  function prune(people: number): number {
    nodeCount = 0;
    const pruneBelow = (node: TrieNode): number => {
      let height = 0;
      for (const [codePoint, child] of node.children ?? []) {
        if (child.people <= people) node.children?.delete(codePoint);
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
    prune(people[limits.maxListed] ?? 0);
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
      const height = prune(threshold);
      const hasGrown = height === maxDepth;
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
        for (let index = start; index < codePoints.length; index += 1) {
          node = node.children?.get(codePoints[index] as number);
          if (node === undefined) break;
          if (node.lastNameNumber !== nameNumber) {
            node.lastNameNumber = nameNumber;
            recordMatch(node, rank);
          }
        }
      }
    },
    list: () => listBelow(root, ""),
  };
}

const createNode = (): TrieNode => ({ children: null, people: 0, lastNameNumber: 0, matches: 0, recorded: null });
