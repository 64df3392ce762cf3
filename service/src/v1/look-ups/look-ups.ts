import type { Connection } from "#core/database/database.ts";
import type { QueueCounters, QueueState } from "#core/readers/bounded-pool.ts";
import { coalesce, type LookUp } from "./coalesce.ts";

// The look-ups of the read path: documents by id, or by wallet through wallet_owner. Concurrent
// look-ups of the same kind share a statement.

type FoundPassport = { passportId: number; body: string; tail: string; etag: string };
type FoundCredentials = { passportId: number; body: string; etag: string };

export type LookUps = {
  passportById: LookUp<number, FoundPassport>;
  passportByWallet: LookUp<string, FoundPassport>;
  credentialsById: LookUp<number, FoundCredentials>;
  credentialsByWallet: LookUp<string, FoundCredentials>;
  /** The look-ups of all kinds that wait for the next batch. */
  queue: () => QueueState;
};

type PassportRow = [passportId: number, body: string, tail: string, etag: string, address: string];
type CredentialsRow = [passportId: number, body: string, etag: string, address: string];

export function openLookUps(connection: Connection): LookUps {
  const queues: QueueCounters[] = [];
  const createLookUp = <Key extends number | string, Row extends unknown[], Found>(
    name: string,
    text: string,
    keyOf: (row: Row) => Key,
    read: (row: Row) => Found,
  ) => {
    const lookUp = coalesce<Key, Found>(async (keys) => {
      const values = [`{${keys.map(arrayElement).join(",")}}`];
      const { rows } = await connection.query<Row>({ name, text, values, rowMode: "array" });
      const found = new Map<Key, Found>();
      for (const row of rows) found.set(keyOf(row), read(row));
      return found;
    });
    queues.push(lookUp);
    return lookUp;
  };
  const sum = (count: (queue: QueueCounters) => number) => queues.reduce((total, queue) => total + count(queue), 0);
  return {
    passportById: createLookUp<number, PassportRow, FoundPassport>(
      "passports-by-id",
      "select passport_id, body, tail, etag from passport_document where passport_id = any ($1::bigint[])",
      (row) => row[0],
      readPassport,
    ),
    passportByWallet: createLookUp<string, PassportRow, FoundPassport>(
      "passports-by-wallet",
      `select passport_id, body, tail, etag, address from wallet_owner join passport_document using (passport_id)
       where address = any ($1::text[])`,
      (row) => row[4],
      readPassport,
    ),
    credentialsById: createLookUp<number, CredentialsRow, FoundCredentials>(
      "credentials-by-id",
      "select passport_id, body, etag from credential_document where passport_id = any ($1::bigint[])",
      (row) => row[0],
      readCredentials,
    ),
    credentialsByWallet: createLookUp<string, CredentialsRow, FoundCredentials>(
      "credentials-by-wallet",
      `select passport_id, body, etag, address from wallet_owner join credential_document using (passport_id)
       where address = any ($1::text[])`,
      (row) => row[3],
      readCredentials,
    ),
    queue: () => ({
      queue: "batched look-ups",
      depth: sum((queue) => queue.depth()),
      limit: sum((queue) => queue.limit),
      rejected: sum((queue) => queue.rejected()),
    }),
  };
}

/** Any text may be an address. Quoted also for the sake of `null`; the driver would do the same, and slower. */
const arrayElement = (key: number | string): string =>
  typeof key === "number" ? String(key) : `"${key.replaceAll(/["\\]/g, "\\$&")}"`;

const readPassport = (row: PassportRow): FoundPassport => ({
  passportId: row[0],
  body: row[1],
  tail: row[2],
  etag: row[3],
});

const readCredentials = (row: CredentialsRow): FoundCredentials => ({ passportId: row[0], body: row[1], etag: row[2] });
