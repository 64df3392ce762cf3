import { createHash, generateKeyPairSync, type KeyObject } from "node:crypto";
import { writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import type { Person } from "@credence/contract/person.ts";
import type { Latest, Manifest } from "@credence/contract/snapshot.ts";
import { writeLatest } from "#mirror/latest.ts";
import { testFolder } from "./folder.ts";
import { whenDone } from "./when-done.ts";

export type Answer = Buffer | ((response: ServerResponse) => void);

/** How a snapshot differs from a valid one of now. */
export type Published = {
  at?: Date;
  createdAt?: Date;
  feed?: string;
  key?: KeyObject;
  latest?: Partial<Latest>;
  manifest?: Partial<Manifest>;
  /** Instead of the lines. */
  file?: Buffer;
};

export const FEED = "88e40b0e-9223-43e2-a484-5744688d0983";

const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

/** Serves files at paths of a loopback port, as a publisher does. */
export async function startPublisher() {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const publicKeyPath = join(testFolder(), "publisher.pem");
  writeFileSync(publicKeyPath, publicKey.export({ type: "spki", format: "pem" }));
  const files = new Map<string, Answer>();
  const server = createServer((request, response) => {
    const answer = files.get(request.url ?? "");
    if (typeof answer === "function") return answer(response);
    response.statusCode = answer === undefined ? 404 : 200;
    response.end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  whenDone(() => {
    server.closeAllConnections();
    server.close();
  });

  /** Publishes people whose lines are made of imported ones: unmerged, unless they say so. */
  function publish(people: readonly Person[], changes: Published = {}): Latest {
    const { at = new Date(), createdAt = at, feed = FEED, key = privateKey } = changes;
    const lines = people.map(({ operator, ...line }) => ({ ...line, operator: { merged_into: null, ...operator } }));
    const file = changes.file ?? zstdCompressSync(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const created_at = createdAt.toISOString();
    const snapshot = created_at.replace(/\.\d+/, "").replaceAll(":", "");
    const counts = { people: people.length, credentials: 0 };
    const name = "people-00001.ndjson.zst";
    const manifest = Buffer.from(
      JSON.stringify({
        format: "credence-snapshot",
        version: 2,
        created_at,
        source: "https://publisher.example",
        ...counts,
        files: [{ name, bytes: file.length, sha256: sha256(file), ...counts }],
        for: "mirrors",
        feed,
        ...changes.manifest,
      }),
    );
    const latest: Latest = {
      format: "credence-latest",
      version: 1,
      feed,
      snapshot,
      manifest_sha256: sha256(manifest),
      created_at,
      at: at.toISOString(),
      expires_at: new Date(at.getTime() + 6 * 3_600_000).toISOString(),
      ...changes.latest,
    };
    files.set(`/${snapshot}/${name}`, file);
    files.set(`/${snapshot}/manifest.json`, manifest);
    files.set("/latest.json", writeLatest(latest, key));
    return latest;
  }
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { url, publicKeyPath, privateKey, files, publish };
}
