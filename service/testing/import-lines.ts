import { expect } from "vitest";
import type { Database } from "#core/database/database.ts";
import { type SourceFile, sourceOf } from "#core/files/source.ts";
import { verifyDocuments } from "#people/documents/verify-documents.ts";
import { createFieldCounts } from "#snapshots/format/field-counts.ts";
import { importPeople } from "#snapshots/import/import-people.ts";
import type { Imported, ImportOptions, Rejected } from "#snapshots/import/import-run.ts";

export const OPT_OUT_KEY = "a key that nobody could ever guess at all";

/** Creates a source file. Lines that are not strings are printed as JSON. */
const fileOf = (lines: readonly unknown[]): SourceFile => ({
  name: "test",
  bytes: null,
  async *read() {
    yield Buffer.from(lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n"));
  },
});

/** Imports lines without the command line. */
export async function importLines(
  database: Database,
  lines: readonly unknown[],
  options: Partial<ImportOptions> = {},
): Promise<Imported & { rejected: Rejected[] }> {
  const rejected: Rejected[] = [];
  const imported = await importPeople(database, sourceOf(fileOf(lines)), {
    dryRun: false,
    optOutKeys: [OPT_OUT_KEY],
    unknownFields: "refuse",
    fields: createFieldCounts(),
    onRejected: (line) => rejected.push(line),
    onProgress: () => {},
    ...options,
  });
  return { ...imported, rejected };
}

/** The same, and checks that every document matches its facts. */
export async function importAndVerify(
  database: Database,
  lines: readonly unknown[],
  options: Partial<ImportOptions> = {},
) {
  const { rejected, ...imported } = await importLines(database, lines, options);
  expect((await verifyDocuments(database, () => {})).different).toBe(0);
  return { ...imported, rejected: rejected.map(({ line, field, reason }) => ({ line, field, reason })) };
}
