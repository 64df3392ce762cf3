import { inventDemoPeople } from "../../service/src/demo/invent/population.ts";
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

/** The clients with a request that is refused as a filter. */
export const listRefused = (runs: readonly Run[]): number[] =>
  runs
    .filter(({ responses }) => responses.some(({ body }) => body.includes('"unknown_filter"')))
    .map(({ client }) => client.number);
