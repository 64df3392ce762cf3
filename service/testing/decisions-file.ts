import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Decision } from "@credence/contract/decision.ts";
import type { Database } from "#core/database/database.ts";
import { openDecisions, readDecisions } from "#decisions/file.ts";
import { exportDecisions } from "#decisions/keep-file.ts";
import { createMac, fingerprintOf } from "#decisions/keys.ts";
import { type UniteOptions, uniteDecisions } from "#decisions/unite.ts";
import { testFolder } from "./folder.ts";
import { OPT_OUT_KEY } from "./import-lines.ts";

let files = 0;

/** Writes the decisions of a database to a new file, and returns its path. */
export async function exportFile(database: Database, keys: readonly string[] = [OPT_OUT_KEY]): Promise<string> {
  files += 1;
  const path = join(testFolder(), `decisions-${files}.ndjson`);
  await exportDecisions(database, path, keys);
  return path;
}

/** A file with some of the decisions of another one, authenticated by a key. */
export async function selectDecisions(path: string, keep: (decision: Decision) => boolean, key = OPT_OUT_KEY) {
  const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
  const kept = lines.slice(1, -1).filter((line) => keep(JSON.parse(line)));
  const signed = [lines[0] as string, ...kept].map((line) => `${line}\n`).join("");
  const end = { decisions: kept.length, key: fingerprintOf(key), mac: createMac(key).update(signed).digest("hex") };
  files += 1;
  const selected = join(testFolder(), `decisions-${files}.ndjson`);
  await writeFile(selected, `${signed}${JSON.stringify({ end })}\n`);
  return selected;
}

/** Adds the decisions of a file, as `credence decisions import` does, but for the restore. */
export async function importFile(database: Database, path: string, options: Partial<UniteOptions> = {}) {
  const { keys = [OPT_OUT_KEY] } = options;
  const file = await readDecisions(openDecisions(path), keys);
  return uniteDecisions(database, file, {
    restoreGraceMs: null,
    dryRun: false,
    onProgress: () => {},
    ...options,
    keys,
  });
}
