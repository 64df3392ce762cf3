import type { Connection } from "#core/database/database.ts";
import { SnapshotRefused } from "#core/files/refused.ts";
import type { Source } from "#core/files/source.ts";

/**
 * Refuses a signed snapshot that is older than one of the same source, or of the same key; of the same source
 * also if its signature was not verified.
 */
export async function requireNewest(connection: Connection, { manifest, signer, unchecked }: Source): Promise<void> {
  if (manifest === null || (signer === null && !unchecked)) return;
  const { rows } = await connection.query<{ source: string; created_at: Date }>(
    `select source, created_at from signed_import
     where (source = $1 or key = $2) and created_at > $3 order by created_at desc limit 1`,
    [manifest.source, signer, manifest.created_at],
  );
  const [newer] = rows;
  if (newer === undefined) return;
  throw new SnapshotRefused(
    `The snapshot is of ${manifest.created_at}, and one of ${newer.created_at.toISOString()} from "${newer.source}" was imported before.`,
    "An older one brings erased people and wallets back. Import a newer one, or add --older.",
  );
}

/** Before its people are imported: an import that was interrupted counts too. */
export async function recordSignedImport(connection: Connection, { manifest, signer }: Source): Promise<void> {
  if (manifest === null || signer === null) return;
  await connection.query(
    `insert into signed_import as stored (key, source, created_at) values ($1, $2, $3)
     on conflict (key, source) do update set
       created_at = greatest(stored.created_at, excluded.created_at), imported_at = now()`,
    [signer, manifest.source, manifest.created_at],
  );
}
