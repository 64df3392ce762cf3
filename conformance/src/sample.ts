import type { Answer, Asker } from "./asker.ts";
import type { Json } from "./shape.ts";

export const LIST = "/api/v1/passports";
export const CREDENTIALS = "/api/v1/passport_credentials";

/** Asked for where the answer should be nobody: valid ids that no real server hands out. */
export const NOBODY = "9007199254740991";
export const NOBODYS_WALLET = `0x${"0".repeat(36)}dead`;

/** A key that nobody issued, and a target longer than any server need read. */
export const BAD_KEY = { "X-API-KEY": "credence-conformance-not-a-key" };
export const TOO_LONG = `${LIST}/${"1".repeat(8_200)}`;

export type SamplePerson = {
  id: number;
  wallet: string | null;
  name: string | null;
  single: Answer;
  credentials: Answer;
};
export type Sample = { list: Answer; listed: Json[]; people: SamplePerson[] };

const PEOPLE = 5;

/** Finds people through the list, and asks for each of a few: the first, the last, and some between. */
export async function takeSample(asker: Asker): Promise<Sample> {
  const list = await asker.ask(LIST);
  const body = parse(list);
  const listed = Array.isArray(body?.passports) ? body.passports.filter(isObject) : [];
  const people = await Promise.all(spread(listed, PEOPLE).map((passport) => takePerson(asker, passport)));
  return { list, listed, people };
}

async function takePerson(asker: Asker, passport: Json): Promise<SamplePerson> {
  const id = Number(passport.passport_id);
  const profile = isObject(passport.passport_profile) ? passport.passport_profile : {};
  // A connection that breaks here is for the checks to tell.
  const broken = (error: Error): Answer => ({ status: 0, headers: {}, body: error.message });
  const [single, credentials] = await Promise.all([
    asker.ask(`${LIST}/${id}`).catch(broken),
    asker.ask(`${CREDENTIALS}?passport_id=${id}`).catch(broken),
  ]);
  const text = (value: unknown) => (typeof value === "string" && value.trim() !== "" ? value : null);
  return { id, wallet: text(passport.main_wallet), name: text(profile.display_name), single, credentials };
}

/** `count` items spread evenly over a list, its ends included. */
function spread<Item>(items: readonly Item[], count: number): Item[] {
  if (items.length <= count) return [...items];
  return Array.from({ length: count }, (_, at) => items[Math.round((at * (items.length - 1)) / (count - 1))] as Item);
}

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The body as a JSON object, or null. */
export function parse(answer: Answer): Json | null {
  try {
    const body: unknown = JSON.parse(answer.body);
    return isObject(body) ? body : null;
  } catch {
    return null;
  }
}

/** The objects in a list of an answer. */
export function itemsOf(answer: Answer, name: string): Json[] {
  const items = parse(answer)?.[name];
  return Array.isArray(items) ? items.filter(isObject) : [];
}

export function objectOf(answer: Answer, name: string): Json {
  const value = parse(answer)?.[name];
  return isObject(value) ? value : {};
}
