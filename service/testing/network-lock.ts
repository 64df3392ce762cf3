import pg from "pg";
import { urlOf } from "./server.ts";

// Chromium fails its requests when a network interface appears or goes away, which containers cause
// (ERR_NETWORK_CHANGED). So tests with a browser and tests that change the network exclude each
// other, by a lock in PostgreSQL that all clones on the machine share.

const LOCK = 6_385_231;

/** Waits until no test changes the network, and prevents it until the returned function is called. */
export const keepNetwork = (): Promise<() => Promise<void>> => lock("pg_advisory_lock_shared");

/** Waits until no test uses a browser, and prevents it until the returned function is called. */
export const changeNetwork = (): Promise<() => Promise<void>> => lock("pg_advisory_lock");

async function lock(type: "pg_advisory_lock" | "pg_advisory_lock_shared"): Promise<() => Promise<void>> {
  const holder = new pg.Client({ connectionString: urlOf("postgres") });
  await holder.connect();
  await holder.query(`select ${type}($1)`, [LOCK]);
  return () => holder.end();
}
