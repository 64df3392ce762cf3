import type { Connection } from "#core/database/database.ts";
import { listLines, updateLines } from "#people/facts/people.ts";
import { deleteAddresses, listClaims } from "#people/facts/wallets.ts";
import { lineOf, parseLine, presentPerson, withoutWallets } from "#people/line.ts";

/** `lostMain`: of the people who lose a wallet, those whose main wallet it was. */
export type RemovedWallets = { losing: number[]; lostMain: number[] };

/** Records per query: the size of their lines is unknown. */
const SLICE = 100;

/**
 * Removes the wallets of erased people from all records that list them, lines included. Their documents and
 * the owners of the wallets are left to the caller, as is the lock of people.
 */
export async function removeWallets(connection: Connection, addresses: readonly string[]): Promise<RemovedWallets> {
  const removed = new Set(addresses);
  const claims = addresses.length === 0 ? [] : await listClaims(connection, addresses);
  const losing = [...new Set(claims.map((claim) => claim.passport_id))];
  const lostMain = [...new Set(claims.filter(({ is_main }) => is_main).map((claim) => claim.passport_id))];
  const isLostMain = new Set(lostMain);
  for (let index = 0; index < losing.length; index += SLICE) {
    const stored = await listLines(connection, losing.slice(index, index + SLICE));
    await updateLines(
      connection,
      stored.map(({ passport_id, line, lost_main }) => ({
        passport_id,
        lost_main: lost_main || isLostMain.has(passport_id),
        line: lineOf(presentPerson(withoutWallets(parseLine(line), removed))),
      })),
    );
  }
  await deleteAddresses(connection, addresses);
  return { losing, lostMain };
}
