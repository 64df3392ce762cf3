import pg from "pg";
import { requireVersion } from "./server-version.ts";
import { findSchemaTrust } from "./trusted-schema.ts";

/** Revokes the right to create in the schema from PUBLIC and from a role. Only its owner can; else nothing changes. */
export async function revokeCreation(databaseUrl: string, role: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await requireVersion(client);
    const { creators } = await findSchemaTrust(client);
    if (creators.includes(null)) await client.query("revoke create on schema public from public");
    if (creators.includes(role)) {
      await client.query(`revoke create on schema public from ${pg.escapeIdentifier(role)}`);
    }
  } finally {
    await client.end();
  }
}
