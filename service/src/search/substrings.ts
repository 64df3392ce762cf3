/** A substring of names: how many people have it, and where the first of them stand. */
export type Substring = {
  text: string;
  people: number;
  /** The ranks of the first `ranksKept` of them. */
  ranks: number[];
  /** Of those after them, the rank of every `anchorEvery`th, up to the last that can be reached. */
  anchors: number[];
};

/** What is kept: so many ranks, then every so many up to the last that can be reached; and of how few nothing is. */
export type Keeping = { few: number; ranksKept: number; anchorEvery: number; lastReachable: number };
/** A step in a tree of substrings, one for each character. */
type Node = {
  children: Map<number, Node> | null;
  people: number;
  /** The name that was counted here last: a substring counts once in a name, however often it stands there. */
  lastName: number;
  placed: number;
  /** Null until somebody is placed here. */
  ranks: number[] | null;
  anchors: number[] | null;
};

export type SubstringCounter = {
  /** Counts a name that so many people have. All names are counted again and again, until `endPass` wants no more of it. */
  count: (name: string, people: number) => void;
  /** True if there may be longer substrings: count all names once more. */
  endPass: () => boolean;
  /** Then every person's name is placed, in the order of their ranks. */
  place: (name: string, rank: number) => void;
  list: () => Generator<Substring>;
};

/** Longer ones are not listed, however many have them: names of their length are few enough to be looked up. */
const LONGEST = 32;

/** How many characters substrings grow by in a pass. */
const STEP = 2;

/**
 * Bounds on memory, for any names. What does not fit is not listed, and is found by the index of names instead, slower. Ten million
 * invented people need 14,000 listed substrings.
 */
export const SUBSTRING_LIMITS = { nodes: 500_000, listed: 20_000 };

/**
 * Finds every substring that more than `few` people have in their names. A substring can only be shared by many if its beginning is;
 * so they grow from pass to pass, and only what is shared by many is held in memory, never the names.
 */
export function createSubstringCounter(keeping: Keeping, limits = SUBSTRING_LIMITS): SubstringCounter {
  const { few, ranksKept, anchorEvery, lastReachable } = keeping;
  const root = createNode();
  let nodes = 0;
  let [from, to] = [1, STEP];
  let name = 0;
  const points: number[] = [];

  function readPoints(text: string): void {
    points.length = 0;
    for (let at = 0; at < text.length; at += 1) {
      const point = text.codePointAt(at) as number;
      points.push(point);
      if (point > 0xffff) at += 1;
    }
  }

  /** Goes down from a character of the name as far as the tree knows, and lets it grow where this pass is at work. */
  function countFrom(start: number, people: number): void {
    let node = root;
    for (let depth = 1; depth <= to && start + depth <= points.length; depth += 1) {
      if (depth === from && from > 1 && node.people <= few) return;
      let child = node.children?.get(points[start + depth - 1] as number);
      if (child === undefined) {
        // At the limit no node is added for the rest of the pass, so that every node there is has counted all names.
        if (depth < from || nodes >= limits.nodes) return;
        nodes += 1;
        child = createNode();
        node.children ??= new Map();
        node.children.set(points[start + depth - 1] as number, child);
      }
      if (depth >= from && child.lastName !== name) {
        child.lastName = name;
        child.people += people;
      }
      node = child;
    }
  }

  /** Drops what few have, as deep as this pass went. True if anything of the greatest depth is left to grow. */
  function prune(node: Node, depth: number): boolean {
    let grows = false;
    for (const [point, child] of node.children ?? []) {
      const at = depth + 1;
      if (child.people <= few) {
        node.children?.delete(point);
        nodes -= countNodes(child);
      } else if (at === to) grows = true;
      else grows = prune(child, at) || grows;
    }
    return grows;
  }

  /** Of more substrings than may be listed, those with the fewest people go. What is below them has as few, or fewer. */
  function dropRarest(): void {
    const people = [...listBelow(root, "")].map((substring) => substring.people).sort((one, other) => other - one);
    const least = people[limits.listed - 1] ?? 0;
    const drop = (node: Node): void => {
      for (const [point, child] of node.children ?? []) {
        if (child.people <= least) node.children?.delete(point);
        else drop(child);
      }
    };
    if (people.length > limits.listed) drop(root);
  }

  function placeIn(node: Node, rank: number): void {
    node.placed += 1;
    if (node.placed <= ranksKept) {
      node.ranks ??= [];
      node.ranks.push(rank);
    } else if (node.placed <= lastReachable && node.placed % anchorEvery === 0) {
      node.anchors ??= [];
      node.anchors.push(rank);
    }
  }

  return {
    count(text, people) {
      name += 1;
      readPoints(text);
      for (let start = 0; start < points.length; start += 1) countFrom(start, people);
    },
    endPass() {
      const grows = prune(root, 0);
      [from, to] = [to + 1, to + STEP];
      if (grows && to <= LONGEST) return true;
      dropRarest();
      return false;
    },
    place(text, rank) {
      name += 1;
      readPoints(text);
      for (let start = 0; start < points.length; start += 1) {
        let node = root;
        for (let at = start; at < points.length; at += 1) {
          const child = node.children?.get(points[at] as number);
          if (child === undefined) break;
          if (child.lastName !== name) {
            child.lastName = name;
            placeIn(child, rank);
          }
          node = child;
        }
      }
    },
    list: () => listBelow(root, ""),
  };
}

const createNode = (): Node => ({ children: null, people: 0, lastName: 0, placed: 0, ranks: null, anchors: null });

function countNodes(node: Node): number {
  let nodes = 1;
  for (const child of node.children?.values() ?? []) nodes += countNodes(child);
  return nodes;
}

function* listBelow(node: Node, prefix: string): Generator<Substring> {
  for (const [point, child] of node.children ?? []) {
    const { people, ranks, anchors } = child;
    const text = prefix + String.fromCodePoint(point);
    yield { text, people, ranks: ranks ?? [], anchors: anchors ?? [] };
    yield* listBelow(child, text);
  }
}
