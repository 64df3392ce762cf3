import type { Client, HttpResponse } from "./client.ts";
import type { Json } from "./shape.ts";

export const LIST = "/api/v1/passports";
export const CREDENTIALS = "/api/v1/passport_credentials";

/** A valid id and a valid wallet that no passport has. */
export const UNKNOWN_ID = "9007199254740991";
export const UNKNOWN_WALLET = `0x${"0".repeat(36)}dead`;

/** A Credence does not count it as the key of a client. */
export const BAD_KEY = { "X-API-KEY": "credence-conformance-not-a-key" };
export const LONG_TARGET = `${LIST}/${"1".repeat(8_200)}`;

export type SamplePerson = {
  id: number;
  wallet: string | null;
  name: string | null;
  single: HttpResponse;
  credentials: HttpResponse;
};
export type Sample = { list: HttpResponse; listed: Json[]; people: SamplePerson[] };

const SAMPLE_SIZE = 5;

/** Requests the list, then the passport and credentials of a few people on its first page. */
export async function takeSample(client: Client): Promise<Sample> {
  const list = await client.request(LIST);
  const listed = itemsOf(list, "passports");
  const people = await Promise.all(pickEvenly(listed, SAMPLE_SIZE).map((passport) => samplePerson(client, passport)));
  return { list, listed, people };
}

async function samplePerson(client: Client, passport: Json): Promise<SamplePerson> {
  const id = Number(passport.passport_id);
  const profile = isObject(passport.passport_profile) ? passport.passport_profile : {};
  // Status 0 makes the checks of the response fail, with the error as its body.
  const toResponse = (error: Error): HttpResponse => ({ status: 0, headers: {}, body: error.message });
  const [single, credentials] = await Promise.all([
    client.request(`${LIST}/${id}`).catch(toResponse),
    client.request(`${CREDENTIALS}?passport_id=${id}`).catch(toResponse),
  ]);
  const text = (value: unknown) => (typeof value === "string" && value.trim() !== "" ? value : null);
  return { id, wallet: text(passport.main_wallet), name: text(profile.display_name), single, credentials };
}

/** Picks `count` items at even distances, including the first and the last. */
function pickEvenly<Item>(items: readonly Item[], count: number): Item[] {
  if (items.length <= count) return [...items];
  return Array.from(
    { length: count },
    (_, index) => items[Math.round((index * (items.length - 1)) / (count - 1))] as Item,
  );
}

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The body as a JSON object, or null. */
export function parse({ body }: HttpResponse): Json | null {
  try {
    const parsed: unknown = JSON.parse(body);
    return isObject(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

export const objectsIn = (array: unknown): Json[] => (Array.isArray(array) ? array.filter(isObject) : []);

/** The objects in an array of the body. */
export function itemsOf(response: HttpResponse, name: string): Json[] {
  return objectsIn(parse(response)?.[name]);
}

/** An object of the body, or an empty object. */
export function objectOf(response: HttpResponse, name: string): Json {
  const value = parse(response)?.[name];
  return isObject(value) ? value : {};
}

/** The values of a header that is a comma-separated list. */
export const splitList = (header = ""): string[] => header.split(/\s*,\s*/);

export const walletsOf = ({ main_wallet, verified_wallets }: Json): string[] =>
  [main_wallet, ...(Array.isArray(verified_wallets) ? verified_wallets : [])].map(String);
