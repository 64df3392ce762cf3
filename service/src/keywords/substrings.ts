/** A substring of names: how many people have it, and where the first of them stand. */
export type Substring = {
  text: string;
  people: number;
  /** The ranks of the first `ranksKept` of them; of those of one or two characters, of all that can be reached. */
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
  ranks: number[];
  anchors: number[];
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

/** How many characters substrings grow by in a pass. Those of the first pass are listed however few have them. */
const STEP = 2;

/**
 * Finds every substring that more than `few` people have in their names, of any length, and all of one or two characters. A substring
 * can only be shared by many if what it begins with is; so they grow from pass to pass, and only what is shared by many is held in
 * memory, never the names.
 */
export function createSubstringCounter(keeping: Keeping): SubstringCounter {
  const { few, ranksKept, anchorEvery, lastReachable } = keeping;
  const root = createNode();
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
        if (depth < from) return;
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
      const many = child.people > few;
      if (!many && at > STEP) node.children?.delete(point);
      else if (at === to) grows ||= many;
      else grows = prune(child, at) || grows;
    }
    return grows;
  }

  function placeIn(node: Node, rank: number, kept: number): void {
    node.placed += 1;
    if (node.placed <= kept) node.ranks.push(rank);
    else if (node.placed <= lastReachable && node.placed % anchorEvery === 0) node.anchors.push(rank);
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
      return grows && to <= LONGEST;
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
            // Short ones cannot be looked up by what they begin with, so all is kept of them.
            placeIn(child, rank, at - start < STEP ? lastReachable : ranksKept);
          }
          node = child;
        }
      }
    },
    list: () => listBelow(root, ""),
  };
}

const createNode = (): Node => ({ children: null, people: 0, lastName: 0, placed: 0, ranks: [], anchors: [] });

function* listBelow(node: Node, prefix: string): Generator<Substring> {
  for (const [point, { people, ranks, anchors, ...child }] of node.children ?? []) {
    const text = prefix + String.fromCodePoint(point);
    yield { text, people, ranks, anchors };
    yield* listBelow(child as Node, text);
  }
}
