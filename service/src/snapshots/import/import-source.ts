import type { Database } from "#core/database/database.ts";
import { SnapshotChanged, SnapshotRefused } from "#core/files/refused.ts";
import type { Source } from "#core/files/source.ts";
import { type DecisionsFile, readDecisions } from "#decisions/file.ts";
import { importPeople } from "./import-people.ts";
import { countLines, type Imported, type ImportOptions } from "./import-run.ts";

/** The steps of an import, in this order. */
export type ImportStep = "check" | "people";

/** `people` is null for a step that does not count people; `total` is null if it is not known. */
type Update = (people: number | null, done?: number, total?: number | null) => void;

type SourceOptions = Omit<ImportOptions, "onProgress" | "onCommitted"> & {
  /** Adds the decisions of the source. Called before people are imported; false ends the import. */
  addDecisions: (file: DecisionsFile) => Promise<boolean>;
  /** Runs a step, and shows how far it is. */
  showProgress: <Result>(step: ImportStep, work: (update: Update) => Promise<Result>) => Promise<Result>;
};

export type ImportedSource = { lines: number; imported: Imported; durationMs: number };

/**
 * Imports a source: checks all of it before anything is written, then adds its decisions, so that nobody is
 * shown in between, then imports its people. Null if it was ended before anything was written.
 */
export async function importSource(
  database: Database,
  source: Source,
  options: SourceOptions,
): Promise<ImportedSource | null> {
  const total = await checkSource(source, options);
  if (source.decisions !== null) {
    const file = await readDecisions(source.decisions, options.optOutKeys);
    if (!(await options.addDecisions(file))) return null;
  }
  const started = performance.now();
  const imported = await importFiles(database, source, options, total);
  return { lines: countLines(imported), imported, durationMs: Math.round(performance.now() - started) };
}

/** Returns how many people the source has, if that is known. */
function checkSource(source: Source, { showProgress }: SourceOptions): Promise<number | null> {
  const { files, decisions } = source;
  const sizes = [...files, decisions].flatMap((file) => (file === null ? [] : [file.bytes]));
  const total = sizes.includes(null) ? null : sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
  let bytes = 0;
  return showProgress("check", (update) =>
    source.check((chunk) => {
      bytes += chunk.length;
      update(null, bytes, total);
    }),
  );
}

async function importFiles(
  database: Database,
  source: Source,
  options: SourceOptions,
  total: number | null,
): Promise<Imported> {
  let isCommitted = false;
  const onCommitted = () => {
    isCommitted = !options.dryRun;
  };
  try {
    return await options.showProgress("people", (update) => {
      const onProgress = (people: number) => update(people, people, total);
      return importPeople(database, source, { ...options, onProgress, onCommitted });
    });
  } catch (error) {
    if (error instanceof SnapshotRefused && isCommitted) throw new SnapshotChanged(error);
    throw error;
  }
}
