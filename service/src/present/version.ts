/** Raised whenever the presenter prints anything differently; documents written by another version want rebuilding. */
export const PRESENTER_VERSION = 1;
