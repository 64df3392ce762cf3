import type { Database } from "#store/database.ts";
import { openLookUps } from "#store/look-ups.ts";

/** Single look-ups, as serving makes them. */
export const findPassportById = (database: Database, passportId: number) =>
  openLookUps(database, 2_000).passportById(passportId);

export const findPassportByWallet = (database: Database, address: string) =>
  openLookUps(database, 2_000).passportByWallet(address);
