import type { Answer, AnswerCache } from "#http/cache/answer-cache.ts";
import type { Readers } from "#store/serving/readers.ts";
import { createFindCredentials, type FindCredentials } from "./find-credentials.ts";
import { createFindList, type FindList } from "./find-list.ts";
import { createFindPassport, type FindPassport } from "./find-passport.ts";

/** The answers of the three endpoints of V1. */
export type Answers = { passport: FindPassport; credentials: FindCredentials; list: FindList };

export const createAnswers = (cache: AnswerCache, readers: Readers): Answers => ({
  passport: createFindPassport(cache, readers),
  credentials: createFindCredentials(cache, readers),
  list: createFindList(cache, readers),
});

/** Parses the bytes of an answer. */
export function parseAnswer<Body>({ wire }: Answer): Body {
  return JSON.parse(typeof wire === "string" ? Buffer.from(wire, "latin1").toString() : wire.toString());
}
