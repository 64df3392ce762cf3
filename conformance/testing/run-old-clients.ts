import { CARRIED_FIELDS } from "@credence/contract/carried.ts";
import { changeCarriedFields } from "../../service/src/carried-fields/carried-fields.ts";
import { inventDemoPeople } from "../../service/src/demo/invent/population.ts";
import { refreshStanding } from "../../service/src/list/manage/refresh-standing.ts";
import { savePeople } from "../../service/src/people/write/save-people.ts";
import { testDatabase } from "../../service/testing/database.ts";
import type { Conclusion, OldClient } from "./old-client.ts";
import { OLD_CLIENTS } from "./old-clients.ts";
import { conclude, type Received } from "./run-old-client.ts";

// Runs all old clients against a server of the people below.

export const people = inventDemoPeople();

/** A person with an ordinary name, a high score and credentials. */
export const known = people.find(
  ({ passport, credentials }) =>
    (passport.identity_score ?? 0) > 9 &&
    (passport.score ?? 0) > 0 &&
    credentials.length > 0 &&
    passport.passport_socials.length > 0 &&
    /^[A-Z][a-z]+ /.test(passport.passport_profile.display_name ?? "") &&
    passport.main_wallet?.startsWith("0x"),
);

const NOBODY = `0x${"0".repeat(36)}dEaD`;
const mixedCase = (wallet: string) => wallet.replaceAll(/[ac-f](?=\d)/g, (letter) => letter.toUpperCase());

function fill(target: string): string {
  const values: Record<string, string> = {
    wallet: mixedCase(known?.passport.main_wallet ?? ""),
    second: people[0]?.passport.main_wallet ?? "",
    nobody: NOBODY,
    name: known?.passport.passport_profile.display_name ?? "",
  };
  return target.replaceAll(/\{(\w+)\}/g, (_, field: string) => encodeURIComponent(values[field] ?? ""));
}

async function ask(url: string, client: OldClient, keys: Record<string, string>): Promise<Received[]> {
  return Promise.all(
    client.targets.map(async (target) => {
      const init = { method: client.method ?? "GET", headers: { ...client.headers, ...keys } };
      const response = await fetch(url + fill(target), init);
      return { status: response.status, body: await response.text() };
    }),
  );
}

export type Run = { client: OldClient; responses: Received[]; conclusion: Conclusion };

export const runAll = (url: string, keys: Record<string, string> = {}): Promise<Run[]> =>
  Promise.all(
    OLD_CLIENTS.map(async (client) => {
      const responses = await ask(url, client, keys);
      return { client, responses, conclusion: conclude(client, responses) };
    }),
  );

/** The name of a database of the same people that carries the three fields. */
export async function carryFields(): Promise<string> {
  const { database, name: carrying } = await testDatabase();
  await changeCarriedFields(
    database,
    () => new Set(CARRIED_FIELDS),
    () => {},
  );
  const values = { name: "Ada", image_url: "https://images.example/ada.png" };
  await savePeople(
    database,
    people.map(({ passport, ...person }) => ({
      ...person,
      passport: { ...passport, verified: true, passport_profile: { ...passport.passport_profile, ...values } },
    })),
  );
  await refreshStanding(database);
  return carrying;
}

/** The clients of which a request is answered with 200 if filters are ignored, and with 400 if not. */
export const listRefused = (ignored: readonly Run[], refused: readonly Run[]): number[] =>
  refused
    .filter(({ responses }, index) =>
      responses.some(({ status }, at) => status === 400 && ignored[index]?.responses[at]?.status === 200),
    )
    .map(({ client }) => client.number);
