import type { Connection } from "#store/engine/database.ts";
import { coalesce, type Gathering, type LookUp, MOST_WAITING } from "./coalesce.ts";
import type { QueueState } from "./queue-state.ts";

// The look-ups of the read path: rows by a primary key, or by two where a wallet leads the way. All who ask at the same time share a
// statement.

type FoundPassport = { passportId: number; body: string; tail: string; etag: string };
type FoundCredentials = { passportId: number; body: string; etag: string };

export type LookUps = {
  passportById: LookUp<number, FoundPassport>;
  passportByWallet: LookUp<string, FoundPassport>;
  credentialsById: LookUp<number, FoundCredentials>;
  credentialsByWallet: LookUp<string, FoundCredentials>;
  /** The look-ups that wait to be sent, of all kinds. */
  queue: () => QueueState;
};

/** Planned as look-ups by key once and for all, whatever statistics say of tables that were empty a minute ago. */
export const LOOK_UP_SETTINGS = {
  plan_cache_mode: "force_generic_plan",
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
};

type PassportRow = [passportId: number, body: string, tail: string, etag: string, address: string];
type CredentialsRow = [passportId: number, body: string, etag: string, address: string];

export function openLookUps(connection: Connection): LookUps {
  const gathered: Gathering[] = [];
  const ask = <Key extends number | string, Row extends unknown[], Found>(
    name: string,
    text: string,
    keyOf: (row: Row) => Key,
    read: (row: Row) => Found,
  ) => {
    const lookUp = coalesce<Key, Found>(async (keys) => {
      // Neither ids nor addresses hold anything that would have to be quoted; the driver would look for it in each of them.
      const values = [`{${keys.join(",")}}`];
      const { rows } = await connection.query<Row>({ name, text, values, rowMode: "array" });
      const found = new Map<Key, Found>();
      for (const row of rows) found.set(keyOf(row), read(row));
      return found;
    });
    gathered.push(lookUp);
    return lookUp;
  };
  const sum = (of: (one: Gathering) => number) => gathered.reduce((total, one) => total + of(one), 0);
  return {
    passportById: ask<number, PassportRow, FoundPassport>(
      "passports-by-id",
      "select passport_id, body, tail, etag from passport_document where passport_id = any ($1::bigint[])",
      (row) => row[0],
      readPassport,
    ),
    passportByWallet: ask<string, PassportRow, FoundPassport>(
      "passports-by-wallet",
      `select passport_id, body, tail, etag, address from wallet_owner join passport_document using (passport_id)
       where address = any ($1::text[])`,
      (row) => row[4],
      readPassport,
    ),
    credentialsById: ask<number, CredentialsRow, FoundCredentials>(
      "credentials-by-id",
      "select passport_id, body, etag from credential_document where passport_id = any ($1::bigint[])",
      (row) => row[0],
      readCredentials,
    ),
    credentialsByWallet: ask<string, CredentialsRow, FoundCredentials>(
      "credentials-by-wallet",
      `select passport_id, body, etag, address from wallet_owner join credential_document using (passport_id)
       where address = any ($1::text[])`,
      (row) => row[3],
      readCredentials,
    ),
    queue: () => ({
      queue: "gathered look-ups",
      depth: sum((one) => one.depth()),
      bound: MOST_WAITING * gathered.length,
      refused: sum((one) => one.refused()),
    }),
  };
}

const readPassport = (row: PassportRow): FoundPassport => ({
  passportId: row[0],
  body: row[1],
  tail: row[2],
  etag: row[3],
});

const readCredentials = (row: CredentialsRow): FoundCredentials => ({ passportId: row[0], body: row[1], etag: row[2] });
