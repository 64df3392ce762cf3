import { unexpectedResponse } from "./errors.ts";
import { findMany, type LookedUp } from "./find-many.ts";
import { type CallOptions, type ClientOptions, createRequest, readBaseUrl } from "./request.ts";
import type {
  Credential,
  Passport,
  PassportCredentials,
  PassportDetail,
  PassportList,
  PassportSocial,
  SinglePassport,
} from "./v1.ts";
import { parseCount } from "./values.ts";

export { type FailureCode, V1Error } from "./errors.ts";
export type { LookedUp } from "./find-many.ts";
export type { DeprecationNotice, Notice, RateLimitNotice } from "./notices.ts";
export type { CallOptions, ClientOptions } from "./request.ts";
export type { Credential, Pagination, Passport, PassportList, PassportProfile } from "./v1.ts";
export { parseDate } from "./values.ts";

/** A profile on a social network, with the counts as numbers next to the strings of V1. */
export type Social = PassportSocial & {
  /** `follower_count` as a number. Null if it is unknown or not a plain number. */
  followers: number | null;
  /** `following_count` as a number. Null if it is unknown or not a plain number. */
  following: number | null;
};

export type FoundPassport = Omit<PassportDetail, "passport_socials"> & { passport_socials: Social[] };

/** A passport id or a wallet address. */
export type IdOrWallet = string | number;

export type WalkOptions = CallOptions & {
  /** A part of the display name. A match is not an identity: names are not unique. */
  keyword?: string | undefined;
  /** Passports per page, at most 100. */
  perPage?: number | undefined;
};

export type ListOptions = WalkOptions & {
  /** From 1. */
  page?: number | undefined;
};

export type Client = {
  /** The passport with this id or wallet. Null if there is none, which is not an error. */
  findPassport(idOrWallet: IdOrWallet, options?: CallOptions): Promise<FoundPassport | null>;
  /**
   * Several passports, a few at a time. Results are in the order of the references, and a failure is
   * part of its result. All wait for the rate limit, and after a 429 as long as the server asks.
   */
  findPassports(
    references: Iterable<IdOrWallet>,
    options?: CallOptions,
  ): Promise<LookedUp<IdOrWallet, FoundPassport>[]>;
  /** One page of the list, highest score first. */
  listPassports(options?: ListOptions): Promise<PassportList>;
  /**
   * All passports, page by page. The list may change meanwhile. No passport is returned twice, but
   * one that moves to an earlier page is missed.
   */
  allPassports(options?: WalkOptions): AsyncGenerator<Passport, void, undefined>;
  /** All credentials of a passport. Empty if there are none, or no such passport. */
  listCredentials(idOrWallet: IdOrWallet, options?: CallOptions): Promise<Credential[]>;
};

// What Credence charges: the table of points in docs/API.md.
const LOOK_UP_POINTS = 1;
const SEARCH_POINTS = 10;

/** A client for one V1 server, with one API key or none. */
export function createClient(options: ClientOptions): Client {
  const request = createRequest(options);
  /** The list and the credentials always exist, so this is not the path of a V1 server. */
  const failAt = (path: string): never => {
    throw unexpectedResponse(readBaseUrl(options.baseUrl) + path, { status: 404 });
  };

  async function listPassports({ page, perPage, keyword, signal }: ListOptions = {}): Promise<PassportList> {
    const path = `passports${query({ keyword, page: readNumber(page), per_page: readNumber(perPage) })}`;
    const points = keyword ? SEARCH_POINTS : 2 + Math.min(Math.max(perPage ?? 25, 1), 100) * 0.08;
    return (await request(path, points, decodeList, { signal })) ?? failAt(path);
  }

  async function findPassport(idOrWallet: IdOrWallet, callOptions?: CallOptions): Promise<FoundPassport | null> {
    const id = readId(idOrWallet);
    // As a path, these would be the list.
    if (/^\.{0,2}$/.test(id)) return null;
    const path = `passports/${encodeURIComponent(id.toWellFormed())}`;
    return request(path, LOOK_UP_POINTS, decodePassport, callOptions);
  }

  return {
    findPassport,

    findPassports: (references, callOptions) =>
      findMany(references, (reference) => findPassport(reference, callOptions), callOptions?.signal),

    listPassports,

    async *allPassports({ perPage = 100, ...rest } = {}) {
      const seen = new Set<number>();
      let lastPage = Infinity;
      for (let page = 1; page <= lastPage; page += 1) {
        const { passports, pagination } = await listPassports({ ...rest, perPage, page });
        // A list that grows meanwhile does not prolong the walk.
        lastPage = Math.min(lastPage, pagination.last_page);
        for (const passport of passports) {
          if (!seen.has(passport.passport_id)) yield passport;
          seen.add(passport.passport_id);
        }
      }
    },

    async listCredentials(idOrWallet, callOptions) {
      const path = `passport_credentials${query({ passport_id: readId(idOrWallet) })}`;
      return (await request(path, LOOK_UP_POINTS, decodeCredentials, callOptions)) ?? failAt(path);
    },
  };
}

function query(parameters: Record<string, string | number | undefined>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value || value === 0) search.set(name, String(value));
  const text = search.toString();
  return text && `?${text}`;
}

/** A number that is not exact would be the id of another person, and `undefined` an unknown one. */
function readId(idOrWallet: IdOrWallet): string {
  if (typeof idOrWallet === "string") return idOrWallet.trim();
  if (typeof idOrWallet !== "number") throw new TypeError("Expected a passport id or a wallet address.");
  if (!Number.isSafeInteger(idOrWallet))
    throw new RangeError(`${idOrWallet} is not an exact passport id. Use a string.`);
  return String(idOrWallet);
}

/** The server would ignore a number that it cannot read, and send the first page. */
function readNumber(value: number | undefined): number | undefined {
  if (value != null && !Number.isSafeInteger(value)) throw new RangeError(`${value} is not a whole number.`);
  return value;
}

const decodePassport = ({ passport }: SinglePassport): FoundPassport => ({
  ...passport,
  passport_socials: passport.passport_socials.map((social) => ({
    ...social,
    followers: parseCount(social.follower_count),
    following: parseCount(social.following_count),
  })),
});

function decodeList({ passports, pagination }: PassportList): PassportList {
  if (!(pagination.last_page > 0)) throw new TypeError("The response has no pagination.");
  return { passports: expectArray(passports), pagination };
}

const decodeCredentials = ({ passport_credentials }: PassportCredentials): Credential[] =>
  expectArray(passport_credentials);

function expectArray<Item>(value: Item[]): Item[] {
  if (!Array.isArray(value)) throw new TypeError("The response has no list.");
  return value;
}
