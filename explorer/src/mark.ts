/** The mark of Credence in 24 by 24: three bars, cut out of a tile. */
export const MARK_PATH =
  "M4 0h16a4 4 0 0 1 4 4v16a4 4 0 0 1-4 4H4a4 4 0 0 1-4-4V4a4 4 0 0 1 4-4zm1 5v3h9V5zm0 5.5v3h6v-3zM5 16v3h14v-3z";
