import type { HttpResponse } from "../client.ts";
import { isObject, LIST } from "../sample.ts";
import type { Json } from "../shape.ts";
import type { AbsentPerson, Difference } from "./difference.ts";
import { isNewer } from "./fields.ts";
import { isSameValue, parseBody } from "./json.ts";

/** Looks a person up on one server. Null: the server did not respond. */
export type LookUp = (server: "old" | "new", path: string) => Promise<HttpResponse | null>;

// A page of V1 has at most a hundred people.
const MAX_LOOK_UPS = 200;

/**
 * Decides about people who are on a page of one server only: asks both servers for each of them.
 * A person whose position changed because other people's scores changed is `moved`.
 */
export async function lookUpAbsent(differences: readonly Difference[], lookUp: LookUp): Promise<Difference[]> {
  const decided: Difference[] = [];
  let lookUps = 0;
  for (const difference of differences) {
    const { absent, explanation } = difference;
    if (absent === undefined || explanation !== null || ++lookUps > MAX_LOOK_UPS) decided.push(difference);
    else decided.push({ ...difference, ...(await decide(absent, lookUp)) });
  }
  return decided;
}

type Decision = Pick<Difference, "kind" | "explanation">;

async function decide({ id, listedOn, isBetweenUnchanged }: AbsentPerson, lookUp: LookUp): Promise<Decision> {
  const path = `${LIST}/${encodeURIComponent(id)}`;
  // A server that only failed is asked once more, as it is for the requests of a log.
  const ask = async (server: "old" | "new"): Promise<Json | null> => {
    const response = await lookUp(server, path);
    const isAnswer = response?.status === 200 || response?.status === 404;
    return passportOf(isAnswer ? response : await lookUp(server, path));
  };
  const [old, next] = [await ask("old"), await ask("new")];
  const name = listedOn === "old" ? "NEW" : "OLD";
  if (old === null || next === null)
    return { kind: `person that ${next === null ? "NEW" : "OLD"} does not have`, explanation: null };
  if (isNewer(old.last_calculated_at, next.last_calculated_at))
    return { kind: "person on another page", explanation: "newer" };
  if (!isSameValue(old.score, next.score))
    return { kind: "person on another page, with another score", explanation: null };
  if (isBetweenUnchanged) return { kind: `person that is not on the page of ${name}`, explanation: null };
  return { kind: "person on another page", explanation: "moved" };
}

function passportOf(response: HttpResponse | null): Json | null {
  const body = response?.status === 200 ? parseBody(response.body)?.value : null;
  return isObject(body) && isObject(body.passport) ? body.passport : null;
}
