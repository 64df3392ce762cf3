/** After twice as many others, a load is not found any more. */
const TURN_AFTER = 1_000;

/** Holds what is being loaded; whoever fills it empties it when that is done. */
export type Box<Result> = { loading: Promise<Result> | null };

export type Loads<Result> = {
  find: (key: string) => Promise<Result> | null;
  open: (key: string) => Box<Result>;
  /** Loads that are under way are not joined any more: what they bring may be out of date. */
  leave: () => void;
};

/**
 * What is being loaded, so that whoever asks for the same can wait for it. Boxes in a Map that is left as a whole: one in which keys
 * come and go leaves its former tables behind, each holding on to the next, and whatever they hold lasts until the whole heap is
 * looked through.
 */
export function rememberLoads<Result>(): Loads<Result> {
  let boxes = new Map<string, Box<Result>>();
  let former = boxes;
  return {
    find: (key) => (boxes.get(key) ?? former.get(key))?.loading ?? null,
    open(key) {
      if (boxes.size >= TURN_AFTER) {
        former = boxes;
        boxes = new Map();
      }
      const box = { loading: null };
      boxes.set(key, box);
      return box;
    },
    leave() {
      boxes = new Map();
      former = boxes;
    },
  };
}
