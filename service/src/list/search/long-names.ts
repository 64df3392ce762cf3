import { MAX_INDEXED_CODE_POINTS } from "./heavy-keywords.ts";

/** SQL condition: the name is too long for the index of grams. */
export const IS_LONG_NAME = `char_length(folded_name) > ${MAX_INDEXED_CODE_POINTS}`;
