import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { unpackPreviousVersion } from "#testing/previous-version.ts";
import { administer, ensureRole, SERVE_ROLE } from "#testing/server.ts";
import { runCredence, startServer, withProofDatabase, withProofFolder } from "./harness.ts";

/** The program of the conformance kit. */
const KIT = fileURLToPath(new URL("../../conformance/src/main.ts", import.meta.url));

const PEOPLE = 300;
const CONCURRENT = 16;

/**
 * The previous version and this one on one database: the schema is migrated while the previous version
 * serves; then both serve, import, hide and work in turn, and both give the same bytes. Null if the
 * history does not contain the previous version.
 */
export async function proveTwoVersions(requests: number) {
  return withProofFolder(async (folder) => {
    const main = await unpackPreviousVersion(folder);
    if (main === null) return null;
    await administer((admin) => ensureRole(admin, SERVE_ROLE));
    return withProofDatabase(
      async ({ url, database }) => {
        const environment = { DATABASE_URL: url };
        const previous = (...args: string[]) => runCredence(args, environment, main);
        const current = (...args: string[]) => runCredence(args, environment);
        const snapshot = join(folder, "snapshot");
        await previous("migrate", "--serve-role", SERVE_ROLE);
        await previous("generate", "--people", String(PEOPLE), "--out", snapshot);
        await previous("import", snapshot);
        const serveUrl = new URL(url);
        serveUrl.username = SERVE_ROLE;
        const old = await startServer(serveUrl.href, {}, null, [], main);
        const servers = [old];
        try {
          // Migrate under load. Without --serve-role: serving roles keep their rights.
          const before = startLoad([old.address], requests / 4);
          await current("migrate");
          const migrated = await before;
          const now = await startServer(serveUrl.href);
          servers.push(now);
          assert.match((await runCredence(["doctor"], { ...environment, NODES: "none" })).stdout, /schema +up to date/);
          // A problem if the role lacks a right.
          await runCredence(["doctor"], { DATABASE_URL: serveUrl.href, NODES: "none" });
          const both = [old.address, now.address];

          // Forward: the previous version writes, both serve.
          const forward = startLoad(both, requests / 4);
          await previous("import", snapshot, "--recalculate");
          await previous("work", "--until-done");
          await previous("passport", "hide", "5", "--yes");
          const compared = [await forward, await startLoad(both, requests / 4)];

          // Back: this version writes, the previous one serves, and works again.
          const back = startLoad(both, requests / 4);
          await current("import", snapshot);
          await current("passport", "hide", "6", "--yes");
          await current("work", "--until-done");
          await current("export", "--protections", join(folder, "protections.ndjson"));
          await previous("passport", "unhide", "6", "--yes");
          await previous("standing", "refresh");
          compared.push(await back);
          const { rows } = await database.query(
            "select passport_id, hidden from visibility_change where passport_id = any ($1) order by 1",
            [CHANGED],
          );
          assert.deepEqual(rows, [
            { passport_id: 5, hidden: true },
            { passport_id: 6, hidden: false },
          ]);
          await current("documents", "verify");
          // Each version conforms by its own kit: later versions may refuse what earlier ones ignored.
          const previousKit = join(dirname(main), "../../conformance/src/main.ts");
          await runCredence([old.address, "--rate", "500"], {}, previousKit);
          await runCredence([now.address, "--rate", "500"], {}, KIT);
          const responses = [migrated, ...compared].reduce((total, { sent }) => total + sent, 0);
          return { requests: responses, failed: 0, different: 0 };
        } finally {
          await Promise.all(servers.map((server) => server.stop()));
        }
      },
      { isMigrated: false },
    );
  });
}

/** The proof hides and shows these people. */
const CHANGED = [5, 6];
/** While people are written, two requests one after the other may get different responses. */
const MAX_TRIES = 50;

/** Sends requests, each to all servers. All responses must be 200, and the bodies must become equal. */
async function startLoad(addresses: readonly string[], requests: number): Promise<{ sent: number }> {
  let sent = 0;
  const fetchAll = (path: string) =>
    Promise.all(
      addresses.map(async (address) => {
        const response = await fetch(address + path);
        sent += 1;
        const text = await response.text();
        assert.equal(response.status, 200, `${address}${path}: ${text}`);
        return `${response.headers.get("etag")} ${text}`;
      }),
    );
  const client = async (first: number) => {
    for (let index = first; sent < requests; index += CONCURRENT) {
      const path = pathOf(index);
      for (let attempt = 1; new Set(await fetchAll(path)).size > 1; attempt += 1) {
        assert.ok(attempt < MAX_TRIES, `The versions respond differently to ${path}.`);
        await setTimeout(100);
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, (_, index) => client(index)));
  return { sent };
}

function pathOf(at: number): string {
  // Of the invented people, some of the last third are hidden.
  const id = 1 + (at % (PEOPLE / 2));
  if (at % 3 === 0) return `/api/v1/passports?page=${1 + (at % 10)}`;
  if (at % 3 === 1) return `/api/v1/passport_credentials?passport_id=${id}`;
  return `/api/v1/passports/${CHANGED.includes(id) ? 1 : id}`;
}
