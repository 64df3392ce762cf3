import { generateKeyPairSync, sign } from "node:crypto";
import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { zstdCompressSync } from "node:zlib";
import { expect, test } from "vitest";
import type { Database } from "#core/database/database.ts";
import { refreshStanding } from "#list/manage/refresh-standing.ts";
import { savePeople } from "#people/write/save-people.ts";
import { testDatabase } from "#testing/database.ts";
import { OPT_OUT_KEY } from "#testing/import-lines.ts";
import { person, wallet } from "#testing/people.ts";
import { FEED, type Published, startPublisher } from "#testing/publisher.ts";

import { type FollowOptions, follow } from "./follow.ts";
import { findDownloadName } from "./mirror-of.ts";

const PEOPLE = [1, 2, 3].map((id) => person(id, { main_wallet: wallet(id) }));

type Publisher = Awaited<ReturnType<typeof startPublisher>>;

const optionsFor = ({ url, publicKeyPath }: Pick<Publisher, "url" | "publicKeyPath">): FollowOptions => ({
  url,
  publicKeyPath,
  basis: "A test",
  optOutKeys: [OPT_OUT_KEY],
  refreshStanding,
});

/** A mirror of a publisher with three people. */
async function mirror() {
  const publisher = await startPublisher();
  const { database } = await testDatabase();
  publisher.publish(PEOPLE);
  const options = optionsFor(publisher);
  await follow(database, options);
  return { publisher, database, options };
}

/** All that V1 shows, and what the mirror remembers of its publisher. */
async function stateOf(database: Database) {
  const tables = ["passport_document", "credential_document", "wallet_owner", "mirror_absent", "kept_hide"];
  const rows = await Promise.all(
    tables.map(async (table) => [table, (await database.query(`select * from ${table} order by 1, 2`)).rows]),
  );
  const { rows: mirrors } = await database.query(
    "select to_jsonb(mirror_of) - 'failure' - 'failed_since' - 'has_ended' as mirror from mirror_of",
  );
  return { ...Object.fromEntries(rows), mirrors };
}

const shownIds = async (database: Database): Promise<number[]> =>
  (await database.query("select passport_id from passport_document order by 1")).rows.map((row) => row.passport_id);

const minutes = (count: number): Date => new Date(Date.now() + count * 60_000);
/** Of a later snapshot. */
const later = (seconds = 1): Date => new Date(Date.now() + seconds * 1_000);

test("imports a snapshot, then only its signature, then a newer one, without what it downloaded", async () => {
  const { publisher, database, options } = await mirror();
  expect(await shownIds(database)).toEqual([1, 2, 3]);
  const createdAt = new Date();
  publisher.publish(PEOPLE.slice(1), { createdAt, at: later() });
  expect(await follow(database, options)).toMatchObject({
    imported: { added: 0, changed: 0, unchanged: 2, deleted: 1 },
  });
  publisher.publish(PEOPLE.slice(1), { createdAt, at: later(2) });
  expect(await follow(database, options)).toMatchObject({ imported: null });
  expect(await shownIds(database)).toEqual([2, 3]);
  expect(readdirSync(tmpdir())).not.toContain(await findDownloadName(database));
});

const other = generateKeyPairSync("ed25519").privateKey;
const respond = (head: Record<string, string>, status = 200, body: Buffer | "endless" = Buffer.alloc(0)) => {
  return (response: import("node:http").ServerResponse) => {
    response.writeHead(status, head);
    if (body !== "endless") return response.end(body);
    const write = () => {
      if (response.destroyed) return;
      response.write(Buffer.alloc(65_536));
      setImmediate(write);
    };
    write();
  };
};
const bomb = zstdCompressSync(Buffer.alloc(64 * 1_048_576, " "));

const BAD: [name: string, spoil: (publisher: Publisher) => void, message: string][] = [
  ["another key", ({ publish }) => publish(PEOPLE, { key: other }), "does not match its first line and the public key"],
  ["a changed file", (it) => it.files.set(pathOf(it.publish([])), zstdCompressSync("{}\n")), "has no people"],
  [
    "a changed file of people",
    (it) => {
      const path = pathOf(it.publish(PEOPLE.slice(1), { at: later() }));
      const bytes = Buffer.from(it.files.get(path) as Buffer);
      bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
      it.files.set(path, bytes);
    },
    "cannot be decompressed",
  ],
  [
    "a missing file",
    (it) => it.files.delete(pathOf(it.publish(PEOPLE.slice(1), { at: later() }))),
    "responds with 404",
  ],
  [
    "an older snapshot",
    ({ publish }) => publish(PEOPLE, { at: later(), createdAt: minutes(-60) }),
    "is older than that of",
  ],
  ["an older signature", ({ publish }) => publish(PEOPLE, { at: minutes(-60) }), "older than that of"],
  [
    "the same age with other content",
    (it) =>
      it.publish(PEOPLE.slice(1), {
        at: later(),
        createdAt: new Date(JSON.parse(String(it.files.get("/latest.json")).split("\n")[0] ?? "").created_at),
      }),
    "with different content",
  ],
  ["another feed", ({ publish }) => publish(PEOPLE, { feed: FEED.replaceAll("8", "7") }), "belongs to feed"],
  [
    "an expired signature",
    ({ publish }) => publish(PEOPLE, { at: later(), latest: { expires_at: minutes(-1).toISOString() } }),
    "expired at",
  ],
  ["a clock ahead", ({ publish }) => publish(PEOPLE, { at: minutes(11) }), "in the future"],
  [
    "a snapshot with hidden people",
    ({ publish }) => publish([...PEOPLE, person(4, {}, { operator: { hidden: true } })], { at: later() }),
    "is not a line of a snapshot for mirrors",
  ],
  [
    "an ordinary snapshot",
    ({ publish }) => publish(PEOPLE, { at: later(), manifest: { for: undefined } as Published["manifest"] & object }),
    "is not for mirrors",
  ],
  ["an empty snapshot", ({ publish }) => publish([], { at: later() }), "has no people"],
  [
    "a file name with a path",
    ({ publish }) =>
      publish(PEOPLE, {
        at: later(),
        manifest: { files: [{ name: "../people", bytes: 1, sha256: "0".repeat(64), people: 3, credentials: 0 }] },
      }),
    "is invalid: /files/0/name",
  ],
  [
    "a folder with a path",
    ({ publish }) => publish(PEOPLE, { at: later(), latest: { snapshot: "../2026-11-18T020000Z" } }),
    "latest.json is invalid: /snapshot",
  ],
  [
    "a body longer than the manifest says",
    (it) => it.files.set(pathOf(it.publish(PEOPLE.slice(1), { at: later() })), Buffer.alloc(9_999)),
    "bytes",
  ],
  [
    "an endless body",
    ({ files }) => files.set("/latest.json", respond({}, 200, "endless")),
    "has more than 4096 bytes",
  ],
  [
    "a file that decompresses beyond its bound",
    ({ publish }) => publish(PEOPLE, { at: later(), file: bomb }),
    "decompresses to more than 250 times",
  ],
  [
    "fewer lines than the manifest says",
    ({ publish }) => publish(PEOPLE, { at: later(), manifest: { people: 4 } }),
    "has 3 lines; its manifest says 4",
  ],
  [
    "a redirect to another host",
    ({ files }) => files.set("/latest.json", respond({ location: "https://other.example/latest.json" }, 302)),
    "redirects to https://other.example/latest.json",
  ],
  [
    "a body that the server compresses",
    ({ files }) => files.set("/latest.json", respond({ "content-encoding": "gzip" })),
    "is compressed by the server",
  ],
  [
    "a signed file of another kind",
    (it) => {
      const line = Buffer.from('{"format":"credence-snapshot","version":1}');
      it.files.set("/latest.json", Buffer.from(`${line}\n${sign(null, line, it.privateKey).toString("base64")}\n`));
    },
    "a signed file of another kind",
  ],
  [
    "a publisher that has ended",
    ({ publish }) => publish(PEOPLE, { at: later(), latest: { ended: true } }),
    "V1 has ended at the publisher",
  ],
];

const pathOf = ({ snapshot }: { snapshot: string }): string => `/${snapshot}/people-00001.ndjson.zst`;

test("a server that already contains people does not become a mirror", async () => {
  const publisher = await startPublisher();
  publisher.publish(PEOPLE);
  const { database } = await testDatabase();
  await savePeople(database, [person(9)]);
  const before = await stateOf(database);
  await expect(follow(database, optionsFor(publisher))).rejects.toThrow("This database already contains people.");
  expect(await stateOf(database)).toEqual(before);
});

test("every bad input is refused with one sentence, and nothing changes", async () => {
  const { publisher, database, options } = await mirror();
  const files = new Map(publisher.files);
  const before = await stateOf(database);
  const found = new Map<string, string>();
  for (const [name, spoil] of BAD) {
    publisher.files.clear();
    for (const [path, bytes] of files) publisher.files.set(path, bytes);
    spoil(publisher);
    found.set(
      name,
      await follow(database, options).then(
        () => "followed",
        (error: Error) => error.message,
      ),
    );
    expect(await stateOf(database), name).toEqual(before);
  }
  for (const [name, , message] of BAD) expect.soft(found.get(name), name).toContain(message);
  for (const [name, message] of found) expect.soft(message, name).toMatch(/^[^\n]+\.$/);
  publisher.publish(PEOPLE.slice(1), { at: later() });
  expect(await follow(database, options)).toMatchObject({ imported: { deleted: 1 } });
});
