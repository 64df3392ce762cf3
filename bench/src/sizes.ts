import { prepareData } from "./data.ts";
import { type Bench, column } from "./database.ts";

/** The size of what is stored about people, on disk and with its indexes. */
export type Sizes = { people: number; at: string; postgres: string; bytes: Record<StoredPart, number> };

export const EPOCH = "an epoch of the list, with names and keywords";

const PARTS = {
  "people, as lines": "person",
  wallets: "person_wallet",
  "documents of passports": "passport_document",
  "owners of wallets": "wallet_owner",
  "documents of credentials": "credential_document",
  [EPOCH]: "standing_[0-9]+(_names|_keywords)?",
} as const;

type StoredPart = keyof typeof PARTS;

/** Measures a database with one epoch: that of a fresh import. */
export async function measureSizes(databaseServer: string, people: number): Promise<Sizes> {
  const bench = await prepareData(databaseServer, people);
  const [postgres = ""] = await column<string>(bench, "show server_version");
  const bytes = {} as Record<StoredPart, number>;
  for (const part of Object.keys(PARTS) as StoredPart[]) bytes[part] = await sizeOf(bench, PARTS[part]);
  await bench.client.end();
  return { people, at: new Date().toISOString(), postgres, bytes };
}

async function sizeOf(bench: Bench, tables: string): Promise<number> {
  const [bytes] = await column<string>(
    bench,
    `select sum(pg_total_relation_size(oid)) from pg_class
      where relkind = 'r' and relnamespace = 'public'::regnamespace and relname ~ '^(${tables})$'`,
  );
  return Number(bytes);
}
