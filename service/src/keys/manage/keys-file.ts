import { readFile, rename, rm, writeFile } from "node:fs/promises";
import Type, { type Static } from "typebox";
import { Compile } from "typebox/compile";
import { SnapshotRefused } from "#core/files/refused.ts";
import { isOneLine } from "#core/terminal/unprintable.ts";

const closed = { additionalProperties: false };
const time = Type.String({ format: "date-time" });
const timeOrNull = Type.Union([time, Type.Null()]);
const text = Type.String({ minLength: 1, maxLength: 1_000 });

const ExportedKey = Type.Object(
  {
    key_id: Type.String({ pattern: "^[0-9A-Za-z]{10}$" }),
    /** SHA-256 of the key, in hex. */
    hash: Type.String({ pattern: "^[0-9a-f]{64}$" }),
    adopted: Type.Boolean(),
    label: text,
    contact: text,
    created_at: time,
    expires_at: timeOrNull,
    revoked_at: timeOrNull,
    points_limit: Type.Union([Type.Integer({ minimum: 1, maximum: 2_147_483_647 }), Type.Null()]),
    rehearsed_until: timeOrNull,
  },
  closed,
);
export type ExportedKey = Static<typeof ExportedKey>;

const KeysFile = Type.Object(
  { format: Type.Literal("credence-keys"), version: Type.Literal(1), keys: Type.Array(ExportedKey) },
  closed,
);
const isKeysFile = Compile(KeysFile);

/** Writes keys as hashes. Only the owner of the file can read it. */
export async function writeKeysFile(path: string, keys: readonly ExportedKey[]): Promise<void> {
  const part = `${path}.part`;
  const content = { format: "credence-keys", version: 1, keys };
  try {
    await rm(part, { force: true });
    await writeFile(part, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flag: "wx", flush: true });
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

export async function readKeysFile(path: string): Promise<ExportedKey[]> {
  const content = parse(await readFile(path, "utf8"));
  if (isKeysFile.Check(content) && content.keys.every(hasOwner)) return content.keys;
  throw new SnapshotRefused(
    `"${path}" is not a file of keys, or it is damaged.`,
    "Pass a file that `credence keys export` has written. For keys of other servers, use `credence keys adopt`.",
  );
}

/** As `keys create` requires it. */
const hasOwner = ({ label, contact }: ExportedKey): boolean => isOneLine(label) && isOneLine(contact);

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}
