import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Person } from "@credence/contract/person.ts";
import type { Database } from "#core/database/database.ts";
import { Overloaded } from "#core/database/failures.ts";
import { processRequests } from "#holders/manage/process-requests.ts";
import type { HolderAction } from "#holders/proof/message.ts";
import { openHolderRequests } from "#holders/serve/serve-requests.ts";
import { updateKeyExpiry, updateKeyRevoked } from "#keys/manage/api-keys.ts";
import { issueKey } from "#keys/manage/issue-key.ts";
import { savePeople } from "#people/write/save-people.ts";
import { changePerson } from "#privacy/change-person.ts";
import { erasePerson } from "#privacy/erase-person.ts";
import { exportProtections } from "#restore/export-protections.ts";
import { HOLDERS_ON, signRequest } from "#testing/holders.ts";
import { importLines, OPT_OUT_KEY } from "#testing/import-lines.ts";
import { person } from "#testing/people.ts";
import { solanaWallet } from "#testing/wallets.ts";
import { type Observation, observe } from "./observe.ts";

/** These are stored from the beginning; the last two of six come by an import. */
const FIRST_PEOPLE = 4;
const PEOPLE = [1, 2, 3, 4, 5, 6];
const wallets = PEOPLE.map((id) => solanaWallet(`restored ${id}`));
const lines: Person[] = PEOPLE.map((id, index) => person(id, { main_wallet: wallets[index]?.address ?? null }));
const KEYS = 3;
const MINUTE_MS = 60_000;

/** `at` is the number of a person or a key. */
export type Operation = { action: (typeof OPERATIONS)[number]; at: number };

export const OPERATIONS = [
  ...["hide", "unhide", "erase", "import", "import hidden"],
  // Signed by the holder, and processed by a worker.
  ...["holder hide", "holder unhide", "holder erase", "holder withdraw"],
  // Not processed yet.
  ...["sent hide", "sent unhide", "sent erase", "sent withdraw"],
  ...["work", "withdraw by code"],
  ...["pass grace", "revoke", "expire", "create key", "file"],
] as const;

export type WrittenFile = { path: string; observed: Observation; isNewer: boolean };

export type Life = {
  files: WrittenFile[];
  isBackedUp: boolean;
  run: (database: Database, operation: Operation) => Promise<void>;
};

export async function createLife(database: Database, folder: string): Promise<Life> {
  await savePeople(database, lines.slice(0, FIRST_PEOPLE));
  const keyIds: string[] = [];
  const createKey = async (database: Database) =>
    void keyIds.push((await issueKey(database, { label: "proof", contact: "proof", expiresAt: null })).keyId);
  for (let key = 0; key < KEYS; key += 1) await createKey(database);
  const codes: string[] = [];
  let second = 0;
  const life: Life = { files: [], isBackedUp: false, run };
  return life;

  async function run(database: Database, { action, at }: Operation): Promise<void> {
    const passportId = PEOPLE[at] as number;
    const keyId = keyIds[at % keyIds.length] as string;
    switch (action) {
      case "hide":
      case "unhide":
        return void (await changePerson(database, { action, passportId }));
      case "erase":
        return void (await erasePerson(database, passportId, OPT_OUT_KEY));
      case "import":
        return void (await importLines(database, [lines[at]]));
      case "import hidden":
        return void (await importLines(database, [{ ...lines[at], operator: { hidden: true } }]));
      case "pass grace":
        await passGrace(database);
        return work(database);
      case "revoke":
        return void (await updateKeyRevoked(database, keyId));
      case "expire":
        return void (await updateKeyExpiry(database, keyId, new Date(Date.now() + (at + 1) * MINUTE_MS)));
      case "create key":
        return createKey(database);
      case "file": {
        const path = join(folder, `${randomUUID()}.ndjson`);
        await exportProtections(database, path);
        return void life.files.push({ path, observed: await observe(database), isNewer: life.isBackedUp });
      }
      case "work":
        return work(database);
      case "withdraw by code":
        return void (await openHolderRequests(database).withdraw(codes.at(-1 - at) ?? "none"));
      default: {
        second += 1;
        const holderAction = action.split(" ")[1] as HolderAction;
        const wallet = wallets[at];
        if (wallet === undefined) return;
        // Another second each time, so that the nonces differ.
        const request = signRequest(wallet, holderAction, passportId, new Date(Date.now() - second * 1_000));
        codes.push(request.code);
        // At most three requests of a wallet wait.
        await openHolderRequests(database)
          .enqueue(request)
          .catch((error) => {
            if (!(error instanceof Overloaded)) throw error;
          });
        if (action.startsWith("holder")) await work(database);
      }
    }
  }
}

export const passGrace = (database: Database) =>
  database.query("update holder_request set due_at = now() where state = 'waiting'");

export async function work(database: Database): Promise<void> {
  await processRequests(database, HOLDERS_ON, (error) => {
    throw error;
  });
}

/** The next import of everybody. */
export async function importEveryone(database: Database): Promise<void> {
  await importLines(database, lines);
}

/** Every holder asks to be shown. */
export async function showEveryone(database: Database, life: Life): Promise<void> {
  for (const at of PEOPLE.keys()) await life.run(database, { action: "holder unhide", at });
}
