import assert from "node:assert/strict";
import { join } from "node:path";
import { inventDemoPeople } from "#demo/invent/population.ts";
import { savePeople } from "#people/write/save-people.ts";
import { hide } from "#testing/decide.ts";
import { OPT_OUT_KEY } from "#testing/import-lines.ts";
import { type ProofDatabase, runCredence, startServer, withProofDatabase, withProofFolder } from "./harness.ts";
import { writePeople } from "./write-people.ts";

const HIDDEN = [1, 150];

/**
 * An exported snapshot that is imported into an empty database returns the same V1 responses and
 * ETags: every person by id and by wallet, their credentials, and every page of the list.
 */
export function proveRoundTrip(people: number) {
  return withProofFolder((folder) =>
    withProofDatabase((original) =>
      withProofDatabase(async (copy) => {
        const source = join(folder, "people.ndjson");
        await writePeople(source, people, 56);
        await runCredence(["import", source, "--no-standing"], { DATABASE_URL: original.url });
        await savePeople(original.database, inventDemoPeople());
        await hide(original.database, HIDDEN);
        await runCredence(["standing", "refresh"], { DATABASE_URL: original.url });

        const exported = join(folder, "exported");
        await runCredence(["export", exported], { DATABASE_URL: original.url, OPT_OUT_KEY });
        const imported = await runCredence(["import", exported, "--json"], { DATABASE_URL: copy.url, OPT_OUT_KEY });
        const counts = JSON.parse(imported.stdout);
        assert.equal(counts.refused, 0);
        const compared = await compareAnswers(original, copy);

        // The export of the copy has the same bytes.
        const exportAgain = async (name: string, { url: DATABASE_URL }: ProofDatabase) =>
          JSON.parse(
            (await runCredence(["export", join(folder, name), "--json"], { DATABASE_URL, OPT_OUT_KEY })).stdout,
          );
        const [again, third] = [await exportAgain("again", copy), await exportAgain("third", original)];
        assert.deepEqual([again.files, again.decisions], [third.files, third.decisions]);
        return { people: counts.added, ...compared };
      }),
    ),
  );
}

async function compareAnswers(original: ProofDatabase, copy: ProofDatabase) {
  const originalServer = await startServer(original.url);
  const copyServer = await startServer(copy.url);
  try {
    const { hidden, merged, paths } = await listPaths(original);
    const answers = { found: 0, not_found: 0 };
    const compare = async (path: string) => {
      const [actual, expected] = await Promise.all([
        fetchAnswer(copyServer.address, path),
        fetchAnswer(originalServer.address, path),
      ]);
      assert.deepEqual(actual, expected, path);
      answers[actual.status === 200 ? "found" : "not_found"] += 1;
    };
    for (let index = 0; index < paths.length; index += 16)
      await Promise.all(paths.slice(index, index + 16).map(compare));
    return { hidden, merged, compared: paths.length, ...answers };
  } finally {
    await originalServer.stop();
    await copyServer.stop();
  }
}

async function fetchAnswer(address: string, path: string) {
  const response = await fetch(address + path);
  return { status: response.status, etag: response.headers.get("etag"), body: await response.text() };
}

async function listPaths({ database }: ProofDatabase) {
  const { rows: ids } = await database.query(
    `select passport_id, merged, passport_id in (select passport_id from person_state) as hidden from person order by 1`,
  );
  const wallets = (await database.query("select distinct address from person_wallet order by 1")).rows;
  const [{ total }] = (await database.query("select total from standing_epoch order by epoch desc limit 1")).rows;
  const pages = Array.from({ length: Math.ceil(total / 25) + 1 }, (_, index) => `/api/v1/passports?page=${index + 1}`);
  return {
    hidden: ids.filter((row) => row.hidden).length,
    merged: ids.filter((row) => row.merged).length,
    paths: [
      ...ids.flatMap(({ passport_id }) => [
        `/api/v1/passports/${passport_id}`,
        `/api/v1/passport_credentials?passport_id=${passport_id}`,
      ]),
      ...wallets.map(({ address }) => `/api/v1/passports/${address}`),
      ...pages,
    ],
  };
}
