import { KINDS, type OldClient, type OnFailure, type Works, worksOf } from "../conformance/testing/old-client.ts";
import { OLD_CLIENTS } from "../conformance/testing/old-clients.ts";
import { listRefused, people, runAll } from "../conformance/testing/run-old-clients.ts";
import { serving } from "../service/testing/serving.ts";

// The tables of docs/COMPATIBILITY.md, from the data about clients. conformance/src/old-clients.test.ts
// compares the data with servers.

const NEEDS: Readonly<Record<Works, string>> = {
  "as is": "nothing",
  "with the prefix": "prefix",
  never: "a change",
};

const SETTINGS: readonly (readonly [setting: string, works: Works, effect: string])[] = [
  ["none", "as is", "V1 at `/api/v1`, to the letter of its specification"],
  [
    "`V1_ALSO_AT=/api/v2`",
    "with the prefix",
    "the same endpoints under the path that most clients call ([TAKE-OVER.md](TAKE-OVER.md#other-paths))",
  ],
];

const total = OLD_CLIENTS.length;
const list = (clients: readonly OldClient[]): string => clients.map(({ number }) => number).join(", ");

export function settings() {
  let working = 0;
  const rows = SETTINGS.map(([setting, works, effect]) => {
    working += OLD_CLIENTS.filter((client) => worksOf(client) === works).length;
    return [setting, `${working} of ${total}`, effect];
  });
  return { head: ["Setting", "Probes that work", "What it does"], rows };
}

export async function clients() {
  const { address } = await serving(people, { environment: { V1_ALSO_AT: "/api/v2" } });
  const refused = new Set(listRefused(await runAll(address)));
  const rows = Object.entries(KINDS).map(([kind, { does, works }]) => {
    const some = OLD_CLIENTS.filter((client) => client.kind === kind);
    const nowRefused = some.filter(({ number }) => refused.has(number));
    return [list(some), does, NEEDS[works], list(nowRefused)];
  });
  return { head: ["Probes", "What they do", "They need", "Refused"], rows };
}

const FAILURES: readonly (readonly [onFailure: OnFailure, meaning: string])[] = [
  ["none", "every failure is a person without a passport, a score of 0 or an empty list"],
  ["404 is none", "a 404 is a person without a passport, any other failure is an error"],
  ["sentence is none", "the same, if a 404 has V1's sentence"],
  ["found", "every failure is a person who exists"],
  ["error", "every failure is an error"],
  ["reads on", "the status is not looked at, and a missing field is an error"],
];

export function failures() {
  const rows = FAILURES.map(([onFailure, meaning]) => {
    const some = OLD_CLIENTS.filter((client) => client.onFailure === onFailure);
    return [meaning, some.length, list(some)];
  });
  return { head: ["What a client makes of a failure", "Number", "Probes"], rows };
}
