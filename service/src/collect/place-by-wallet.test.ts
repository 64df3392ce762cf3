import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createFieldCounts } from "#snapshots/format/field-counts.ts";
import { testFolder } from "#testing/folder.ts";
import { credential, person } from "#testing/people.ts";
import { readSnapshotPeople } from "#testing/read-snapshot.ts";
import { evmWallet } from "#testing/wallets.ts";
import { collectFiles } from "./collect-files.ts";
import { REJECT_NULLS } from "./null-values.ts";

const PEOPLE = 200;
const SHARED = evmWallet("shared").address;

const people = Array.from({ length: PEOPLE }, (_, index) => {
  const wallets = {
    main_wallet: evmWallet(`main ${index}`).address,
    verified_wallets: [evmWallet(`other ${index}`).address],
  };
  return person(index + 1, wallets, { credentials: [credential(`c${index}`)] });
});

async function collect(lines: readonly object[]) {
  const folder = testFolder();
  mkdirSync(join(folder, "raw"));
  writeFileSync(join(folder, "raw/responses.ndjson"), lines.map((line) => JSON.stringify(line)).join("\n"));
  const result = await collectFiles([join(folder, "raw")], join(folder, "out"), {
    ...{ source: "", collected: {}, incomplete: false, unknownFields: "refuse" as const },
    ...{ nulls: REJECT_NULLS, since: null },
    ...{ findErased: async () => new Set<number>(), onRead: () => {}, onWritten: () => {} },
    fields: createFieldCounts(),
  });
  return { ...result, people: await readSnapshotPeople(join(folder, "out")) };
}

const credentialsOf = (wallet: string, credentials: readonly object[]) => ({
  url: `https://old.example/api/v1/passport_credentials?passport_id=${wallet}&x=1`,
  status: 200,
  body: { passport_credentials: credentials },
});

test("credentials saved by wallet go to the only passport that lists the wallet, whatever its case", async () => {
  const lines = people.flatMap(({ passport, credentials }, index) => {
    const wallet = (index % 2 === 0 ? passport.main_wallet : passport.verified_wallets[0]) as string;
    return [
      credentialsOf(index % 3 === 0 ? wallet.toUpperCase().replace("X", "x") : wallet, credentials),
      { passport },
    ];
  });
  const { counts, people: found } = await collect(lines);
  expect(counts).toMatchObject({ collected: PEOPLE, rejected: 0, incomplete: 0 });
  expect(found).toEqual(people);
});

test("credentials of a wallet that two passports list, or none, are rejected with that reason", async () => {
  const both = [person(1, { main_wallet: SHARED }), person(2, { verified_wallets: [SHARED] })];
  const unknown = evmWallet("unknown").address;
  const { counts, reasons } = await collect([
    ...both.map(({ passport }) => ({ passport, credentials: [] })),
    ...[SHARED, unknown].map((wallet) => credentialsOf(wallet, [credential("a")])),
  ]);
  expect(counts).toMatchObject({ collected: 2, rejected: 2 });
  expect(Object.fromEntries(reasons)).toEqual({
    "rejected: credentials of a wallet that several passports of the input list": 1,
    "rejected: credentials of a wallet that no passport of the input lists": 1,
  });
});
