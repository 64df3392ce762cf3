import type { Database } from "#core/database/database.ts";
import { Failure } from "#core/terminal/failure.ts";
import { withHolder } from "#demo/demo-holder.ts";
import { findDemoMark, writeDemoMark } from "#demo/demo-mark.ts";
import { DEMO_SIZE, inventDemoPeople } from "#demo/invent/population.ts";
import { deleteAllRequests } from "#holders/manage/delete-requests.ts";
import type { DemoWallet } from "#holders/proof/create-wallet.ts";
import { refreshStanding } from "#list/manage/refresh-standing.ts";
import { listKeptHidden } from "#people/facts/hidden-by-holder.ts";
import { savePeople } from "#people/write/save-people.ts";
import { deleteAllOptOuts } from "#privacy/opt-outs.ts";

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
  const hiddenIds = await listKeptHidden(
    database,
    people.map(({ passport }) => passport.passport_id),
  );
  await deleteAllRequests(database);
  await deleteAllOptOuts(database);
  const shown = people.map((person) =>
    hiddenIds.includes(person.passport.passport_id)
      ? { ...person, operator: { ...person.operator, hidden: false } }
      : person,
  );
  await savePeople(database, wallet === null ? shown : withHolder(shown, wallet.address));
  await refreshStanding(database);
}
