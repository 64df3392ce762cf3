import type { Connection } from "#store/engine/database.ts";
import { openLookUps } from "#store/serving/look-ups.ts";

// Look-ups of single people, with the queries that the server uses.

export const findPassportById = (connection: Connection, passportId: number) =>
  openLookUps(connection).passportById(passportId);

export const findPassportByWallet = (connection: Connection, address: string) =>
  openLookUps(connection).passportByWallet(address);
