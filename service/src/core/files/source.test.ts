import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { appendFileSync } from "node:fs";
import { appendFile, mkdtemp, readFile, rename, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Manifest } from "@credence/contract/snapshot.ts";
import { describe, expect, test } from "vitest";
import { inventPopulation } from "#demo/invent/population.ts";
import { whenDone } from "#testing/when-done.ts";
import { SnapshotRefused } from "./refused.ts";
import { readPrivateKey, readPublicKeys } from "./signing-key.ts";
import { openSource } from "./source.ts";
import { printPerson, writeSnapshot } from "./write-snapshot.ts";

const keys = generateKeyPairSync("ed25519");
const others = generateKeyPairSync("ed25519");
const silently = () => {};

async function snapshot(signed = false): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "credence-test-"));
  whenDone(() => rm(folder, { recursive: true }));
  const content = {
    source: "test",
    createdAt: new Date(0),
    people: inventPopulation(1, 20).map(printPerson),
    decisions: null,
  };
  await writeSnapshot(folder, { ...content, privateKey: signed ? keys.privateKey : null }, silently);
  return folder;
}

const PEOPLE_FILE = "people-00001.ndjson.zst";

const replaceByLink = (target: string) => async (path: string) => {
  await rm(path);
  await symlink(target, path);
};

async function replaceBySocket(path: string): Promise<void> {
  await rm(path);
  const server = createServer().listen(path);
  await once(server, "listening");
  whenDone(() => void server.close());
}

const readThrough = async (folder: string, publicKeys = signedBy(null)) => {
  const source = await openSource(folder, publicKeys);
  await source.check(silently);
  return source;
};
const signedBy = (pair: typeof keys | null) => (pair === null ? [] : [pair.publicKey]);

describe("openSource", () => {
  test("reads a complete snapshot", async () => {
    const source = await readThrough(await snapshot());
    expect(source.manifest).toMatchObject({ people: 20, version: 1 });
    expect(source.signature).toBe("none");
  });

  test.each([
    ["a compressed file", gzipSync("{}\n{}\n{}\n"), 3],
    ["a compressed file without an end of its last line", gzipSync("{}\n{}"), 2],
    ["plain text, which needs no check", Buffer.from("{}\n"), null],
  ])("a check counts the people of %s", async (_case, bytes, people) => {
    const path = join(await snapshot(), "people");
    await writeFile(path, bytes);
    expect(await (await openSource(path, [])).check(silently)).toBe(people);
  });

  test("verifies the signature if there is a public key", async () => {
    const folder = await snapshot(true);
    expect((await readThrough(folder, signedBy(keys))).signature).toBe("valid");
    // During a rotation, the new key and the old one.
    expect((await readThrough(folder, [others.publicKey, keys.publicKey])).signature).toBe("valid");
    await expect(readThrough(folder, signedBy(others))).rejects.toThrow("does not match");
    expect((await readThrough(folder)).signature).toBe("unchecked");
    await expect(readThrough(await snapshot(), signedBy(keys))).rejects.toThrow("is not signed");
    await appendFile(join(folder, "manifest.json"), " ");
    await expect(readThrough(folder, signedBy(keys))).rejects.toThrow("does not match");
  });

  test("refuses a file that does not match the manifest", async () => {
    const folder = await snapshot();
    const file = join(folder, "people-00001.ndjson.zst");
    const bytes = await readFile(file);
    await writeFile(file, Buffer.concat([bytes, bytes]));
    await expect(readThrough(folder)).rejects.toThrow(SnapshotRefused);
    await writeFile(file, "something else");
    await expect(readThrough(folder)).rejects.toThrow("has 14 bytes; the manifest says");
    await writeFile(file, Buffer.alloc(bytes.length, "x"));
    await expect(readThrough(folder)).rejects.toThrow("SHA-256 differs");
    await rm(file);
    await expect(readThrough(folder)).rejects.toThrow("which does not exist");
  });

  test("refuses a file that is replaced or written to after the check or during a read", async () => {
    const folder = await snapshot();
    const path = join(folder, "people-00001.ndjson.zst");
    const bytes = await readFile(path);
    const source = await readThrough(folder);
    const readAll = async () => {
      for (const file of source.files) for await (const _ of file.read(silently));
    };
    await readAll();
    await writeFile(join(folder, "other"), bytes);
    await rename(join(folder, "other"), path);
    await expect(readAll()).rejects.toThrow("was changed while it was read");

    const again = await readThrough(folder);
    await writeFile(path, bytes);
    const [file] = again.files;
    await expect(file?.read(silently)[Symbol.asyncIterator]().next()).rejects.toThrow("was changed");

    const growing = join(folder, "growing.ndjson");
    await writeFile(growing, `{"passport":1}\n`.repeat(100_000));
    const [plain] = (await openSource(growing, [])).files;
    const chunks = plain?.read(() => appendFileSync(growing, "{}\n"))[Symbol.asyncIterator]();
    await chunks?.next();
    await expect(chunks?.next()).rejects.toThrow("was changed while it was read");
  });

  test.each([
    ["not text", Buffer.from("504b030414000000", "hex"), "docs/SNAPSHOTS.md"],
    ["not text", Buffer.from("\uFEFF{}", "utf16le"), "UTF-8"],
    ["JSON that is not one object per line", Buffer.from('[\n{"passport": {}}]'), "jq -c '.[]'"],
    ["JSON that is not one object per line", Buffer.from('{\n  "passport": {}\n}'), "jq -c . FILE"],
    ["JSON that is not one object per line", Buffer.from('{ "passport": {\n  }\n}'), "collect --from-files FILE"],
    ["saved V1 responses", Buffer.from('{"passports":[],"pagination":{}}'), "credence collect --from-files FILE"],
    ["saved V1 responses", Buffer.from('{"url":"https://old.example/","body":{}}'), "credence collect --from-files"],
    ["saved V1 responses", Buffer.from('[ {\n "passport_credentials" : []}]'), "credence collect --from-files"],
  ])("refuses input that is %s, with advice", async (is, bytes, advice) => {
    const folder = await snapshot();
    const path = join(folder, "input");
    for (const content of [bytes, gzipSync(bytes)]) {
      await writeFile(path, content);
      const [file] = (await openSource(path, [])).files;
      const error = await file
        ?.read(silently)
        [Symbol.asyncIterator]()
        .next()
        .catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(SnapshotRefused);
      expect((error as SnapshotRefused).message).toBe(`"${path}" is ${is}.`);
      expect((error as SnapshotRefused).advice).toContain(advice);
    }
  });

  test.each<[string, (manifest: Manifest) => unknown, string]>([
    ["that is not JSON", () => "{", "is not JSON"],
    ["of a later version", (manifest) => ({ ...manifest, version: 3 }), "of version 3"],
    ["of another format", (manifest) => ({ ...manifest, format: "x" }), "is invalid"],
    [
      "that lists a file outside of the folder",
      (manifest) => ({ ...manifest, files: [{ ...manifest.files[0], name: "../../etc/passwd" }] }),
      "is invalid",
    ],
  ])("refuses a manifest %s", async (_, change, message) => {
    const folder = await snapshot();
    const path = join(folder, "manifest.json");
    const changed = change(JSON.parse(await readFile(path, "utf8")));
    await writeFile(path, typeof changed === "string" ? changed : JSON.stringify(changed));
    await expect(openSource(folder, [])).rejects.toThrow(message);
  });

  test.each<[string, string, (path: string) => Promise<unknown>, string]>([
    ["a manifest that is a link to a device", "manifest.json", replaceByLink("/dev/zero"), "is not a regular file"],
    ["people that are a link to a device", PEOPLE_FILE, replaceByLink("/dev/zero"), "is not a regular file"],
    ["people that are a link to a file", PEOPLE_FILE, replaceByLink("manifest.json"), "is not a regular file"],
    ["people that are a socket", PEOPLE_FILE, replaceBySocket, "is not a regular file"],
    ["a huge manifest", "manifest.json", (path) => truncate(path, 17 * 1_048_576), "more than 16777216 bytes"],
  ])("refuses %s", async (_, name, replace, message) => {
    const folder = await snapshot();
    await replace(join(folder, name));
    await expect(readThrough(folder)).rejects.toThrow(message);
  });

  test("refuses a folder without a manifest, a missing path, and a public key for a single file", async () => {
    const folder = await snapshot();
    await rm(join(folder, "manifest.json"));
    await expect(openSource(folder, [])).rejects.toThrow("holds no manifest.json");
    await expect(openSource(join(folder, "nothing"), [])).rejects.toThrow("does not exist");
    await expect(openSource(join(folder, "people-00001.ndjson.zst"), [keys.publicKey])).rejects.toThrow(
      "can be signed",
    );
  });

  test("refuses a key file without a key of the right kind", async () => {
    const folder = await snapshot();
    const path = join(folder, "key.pem");
    await writeFile(path, keys.publicKey.export({ type: "spki", format: "pem" }));
    expect((await readPublicKeys(path)).map((key) => key.asymmetricKeyType)).toEqual(["ed25519"]);
    await expect(readPrivateKey(path)).rejects.toThrow("no private Ed25519 key");
    const rsa = generateKeyPairSync("rsa", { modulusLength: 2_048 });
    await writeFile(path, rsa.publicKey.export({ type: "spki", format: "pem" }));
    await expect(readPublicKeys(path)).rejects.toThrow("no public Ed25519 key");
  });
});
