import type { ClientBase } from "pg";

/** A server that cannot be used. Waiting does not help. */
export class WrongServer extends Error {
  override name = "WrongServer";
  readonly advice: string;

  constructor(message: string, advice: string) {
    super(message);
    this.advice = advice;
  }
}

const OLDEST_VERSION = 15;

export async function requireVersion(client: Pick<ClientBase, "query">): Promise<void> {
  // Qualified: the schema is not trusted yet.
  const { rows } = await client.query<{ version: string }>(
    "select pg_catalog.current_setting('server_version_num'::text) as version",
  );
  const version = Math.floor(Number(rows[0]?.version) / 10_000);
  if (version >= OLDEST_VERSION) return;
  throw new WrongServer(
    `This is PostgreSQL ${version}. Credence needs version ${OLDEST_VERSION} or newer.`,
    "Upgrade the database server. Nothing was changed: the version of Credence that you used before goes on working.",
  );
}
