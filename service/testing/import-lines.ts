import { importPeople } from "#operations/import/import-people.ts";
import type { Imported, ImportOptions, Rejected } from "#operations/import/import-run.ts";
import type { Source, SourceFile } from "#snapshot/source.ts";
import type { Database } from "#store/engine/database.ts";

export const OPT_OUT_KEY = "a key that nobody could ever guess, at all";

/** A file of these lines, given as text or as what they say. */
export const fileOf = (lines: readonly unknown[]): SourceFile => ({
  name: "test",
  bytes: null,
  async *read() {
    yield Buffer.from(lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n"));
  },
});

const sourceOf = (lines: readonly unknown[]): Source => ({
  files: [fileOf(lines)],
  optOut: null,
  manifest: null,
  unchecked: false,
  check: async () => {},
});

/** Takes lines in, as an import without a command line around it. */
export async function importLines(
  database: Database,
  lines: readonly unknown[],
  options: Partial<ImportOptions> = {},
): Promise<Imported & { rejected: Rejected[] }> {
  const rejected: Rejected[] = [];
  const imported = await importPeople(database, sourceOf(lines), {
    dryRun: false,
    optOutKey: OPT_OUT_KEY,
    recalculate: false,
    onRejected: (one) => rejected.push(one),
    onProgress: () => {},
    ...options,
  });
  return { ...imported, rejected };
}
