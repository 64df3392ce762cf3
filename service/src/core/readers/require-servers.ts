import { openDatabase } from "#core/database/database.ts";
import { isUnreachable, ReplicaInsteadOfPrimary } from "#core/database/failures.ts";
import { isInRecovery, READ_ONLY, requireUsableServer } from "#core/database/wrong-server.ts";

type Servers = { databaseUrl: string; databaseReadUrl: string | null };

const TIMEOUT_MS = 2_000;

/**
 * Checks what a node needs of its servers. Without a read URL, a server in recovery must be waited for,
 * because it may be on its way to become the primary. With one, the node can serve meanwhile.
 */
export async function requireServers({ databaseUrl, databaseReadUrl }: Servers): Promise<void> {
  if (databaseReadUrl === null) return requireServer(databaseUrl, true);
  const checks = [databaseUrl, databaseReadUrl].map((url) => requireServer(url, false));
  const failures = (await Promise.allSettled(checks)).flatMap((check) =>
    check.status === "rejected" ? [check.reason] : [],
  );
  const isServable = failures.length < checks.length && failures.every(isUnreachable);
  if (failures.length > 0 && !isServable) throw failures.find((failure) => !isUnreachable(failure)) ?? failures[0];
}

async function requireServer(url: string, needsPrimary: boolean): Promise<void> {
  // Two connections of its own: those of the node may all be in use.
  const database = openDatabase({
    url,
    name: "credence serve: check",
    maxConnections: 2,
    statementTimeoutMs: TIMEOUT_MS,
    settings: READ_ONLY,
  });
  try {
    await requireUsableServer(database);
    if (needsPrimary && (await isInRecovery(database))) throw new ReplicaInsteadOfPrimary();
  } finally {
    await database.end();
  }
}
