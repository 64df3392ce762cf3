import type { Connection } from "#store/engine/database.ts";
import { openLookUps } from "#store/serving/look-ups.ts";

/** Single look-ups, as serving makes them. */
export const findPassportById = (connection: Connection, passportId: number) =>
  openLookUps(connection).passportById(passportId);

export const findPassportByWallet = (connection: Connection, address: string) =>
  openLookUps(connection).passportByWallet(address);
