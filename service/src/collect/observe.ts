import type { Credential } from "@credence/contract/credential.ts";
import { MAX_INTEGER } from "@credence/contract/person-limits.ts";
import { canonicalWallet } from "#core/identity/wallet-address.ts";
import { inV1Order } from "#people/present/credentials.ts";
import { keepKnownFields } from "#snapshots/format/keep-known-fields.ts";
import { CREDENTIALS_SCHEMA, PASSPORT_SCHEMA } from "#snapshots/format/walk-schema.ts";
import { convertTexts, type FieldNotes, numberOf } from "./lossless.ts";
import type { Observation } from "./observation.ts";

type Fields = Record<string, unknown>;

export const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const isId = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= MAX_INTEGER;

/** A passport id, which some servers send as a text; null if it is none. */
export function readId(value: unknown): number | null {
  const id = typeof value === "string" ? numberOf(value) : value;
  return isId(id) ? id : null;
}

/**
 * The canonical form of a passport: known fields in the order of V1, numbers as numbers, canonical
 * wallets. Equal passports have equal text, whatever server or file they come from.
 */
export function canonicalPassport(passport: Fields, notes: FieldNotes): Fields {
  const kept = keepKnownFields(passport, PASSPORT_SCHEMA, "passport", notes.addUnknown) as Fields;
  const known = convertTexts(kept, PASSPORT_SCHEMA, "passport", notes) as Fields;
  const { main_wallet, verified_wallets } = known;
  if (typeof main_wallet === "string") known.main_wallet = canonicalWallet(main_wallet);
  if (Array.isArray(verified_wallets)) known.verified_wallets = verified_wallets.map(canonicalAddress);
  return known;
}

const canonicalAddress = (address: unknown): unknown =>
  typeof address === "string" ? canonicalWallet(address) : address;

/** The fields that the list shows too. */
export function listedPart({ merged, passport_socials, ...listed }: Fields): Fields {
  return listed;
}

export function observePassport(passport: Fields, at: string | null, notes: FieldNotes): Observation | string {
  const id = readId(passport.passport_id);
  if (id === null) return "its passport_id is not an integer from 1 to 2^53 - 1";
  const known = canonicalPassport(passport, notes);
  const isComplete = Object.hasOwn(known, "merged") && Object.hasOwn(known, "passport_socials");
  const kind = isComplete ? "passport" : "listed";
  const text = JSON.stringify(isComplete ? known : listedPart(known));
  return { id, kind, at, calculatedAt: timeOf(known), text, wallets: listWallets(known) };
}

const listWallets = ({ main_wallet, verified_wallets }: Fields): string[] =>
  [main_wallet, ...(Array.isArray(verified_wallets) ? verified_wallets : [])].filter(
    (wallet): wallet is string => typeof wallet === "string",
  );

export function observeCredentials(
  id: number,
  credentials: unknown[] | null,
  at: string | null,
  notes: FieldNotes,
): Observation {
  const kept = keepKnownFields(credentials, CREDENTIALS_SCHEMA, "credentials", notes.addUnknown);
  const converted = convertTexts(kept, CREDENTIALS_SCHEMA, "credentials", notes);
  if (!Array.isArray(converted)) return { id, kind: "credentials", at, calculatedAt: null, text: "null" };
  const known: unknown[] = converted;
  const sorted = known.every(isSortable) ? known.toSorted(inV1Order) : known;
  const times = known.flatMap((credential) => (isObject(credential) ? (timeOf(credential) ?? []) : []));
  const newest = times.reduce<string | null>((max, time) => (max === null || time > max ? time : max), null);
  return { id, kind: "credentials", at, calculatedAt: newest, text: JSON.stringify(sorted) };
}

const isSortable = (value: unknown): value is Credential =>
  isObject(value) &&
  typeof value.category === "string" &&
  typeof value.score === "number" &&
  typeof value.id === "string";

/** In a form that can be compared; null if it is no time. A tab cannot occur in it. */
const timeOf = ({ last_calculated_at: time }: Fields): string | null =>
  typeof time === "string" ? toTime(time) : null;

export function toTime(text: string): string | null {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}
