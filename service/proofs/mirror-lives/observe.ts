import type { Database } from "#core/database/database.ts";

/** What V1 shows: a digest of each document with its ETag, and whom each wallet leads to. */
export type Shown = Record<string, string>;

export async function observe(database: Database): Promise<Shown> {
  const { rows } = await database.query<{ name: string; value: string }>(
    `select 'passport ' || passport_id as name, md5(body || tail || etag) as value from passport_document
     union all
     select 'credentials ' || passport_id, md5(body || etag) from credential_document
     union all
     select address, passport_id::text from wallet_owner
     order by 1`,
  );
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}

/** The differences, of which the first few help to find out why; empty if there are none. */
export function findDifferences(actual: Shown, expected: Shown): string[] {
  const names = new Set([...Object.keys(actual), ...Object.keys(expected)]);
  return [...names]
    .filter((name) => actual[name] !== expected[name])
    .map((name) => `${name}: ${actual[name] ?? "absent"}, expected ${expected[name] ?? "absent"}`)
    .slice(0, 10);
}
