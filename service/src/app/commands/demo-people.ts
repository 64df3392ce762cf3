import type { Database } from "#core/database/database.ts";
import { Failure } from "#core/terminal/failure.ts";
import { deleteLedger } from "#decisions/ledger.ts";
import { withHolder } from "#demo/demo-holder.ts";
import { findDemoMark, writeDemoMark } from "#demo/demo-mark.ts";
import { DEMO_SIZE, inventDemoPeople } from "#demo/invent/population.ts";
import { deleteAllRequests } from "#holders/manage/requests.ts";
import type { DemoWallet } from "#holders/proof/create-wallet.ts";
import { refreshStanding } from "#list/manage/refresh-standing.ts";
import { savePeople } from "#people/write/save-people.ts";

/** Accepts an empty database, or one with the people of an earlier demo. */
export async function refuseOtherPeople(database: Database): Promise<void> {
  const stored = await findDemoMark(database);
  if (stored.highestId === 0 || (stored.isDemo && stored.highestId <= DEMO_SIZE)) return;
  throw new Failure(
    "This database contains people that the demo did not load.",
    "Set DATABASE_URL to another database, or unset it to use `credence_demo`.",
  );
}

/** As invented: nothing of earlier runs stays hidden or erased by a holder. */
export async function loadDemoPeople(database: Database, wallet: DemoWallet | null): Promise<void> {
  const people = inventDemoPeople();
  await writeDemoMark(database);
  await deleteAllRequests(database);
  await deleteLedger(database);
  await savePeople(database, wallet === null ? people : withHolder(people, wallet.address));
  await refreshStanding(database);
}
