import type { Config } from "#core/config/config.ts";
import { type Connection, type Database, inTransaction, planLookUps, queryValue } from "#core/database/database.ts";
import { openRegular } from "#core/files/open-file.ts";
import { SnapshotRefused } from "#core/files/refused.ts";
import { type Job, POLL_MS } from "#core/process/job.ts";
import type { WorkerFile } from "#core/process/worker-processes.ts";
import { EXIT } from "#core/terminal/exit-codes.ts";
import { Failure } from "#core/terminal/failure.ts";
import { knowsAll, openDecisions, readDecisions, streamFile, writeFile } from "./file.ts";

export const FILE_JOB = "write the file of decisions";
/** How often the ledger is compared with the file. */
const CHECK_EVERY_MS = 20_000;
/** With many decisions, writing takes time: at most a tenth of it is spent on that. */
const PAUSE_PER_WRITE = 10;

export const lacksDecisions = (path: string): string => `This database lacks decisions of "${path}".`;

/** Without a key, a file could not end a decision after a restore. */
export function requireKeyOfFile({ decisionsFile, optOutKeys }: Pick<Config, "decisionsFile" | "optOutKeys">): void {
  if (decisionsFile === null || optOutKeys.length > 0) return;
  throw new Failure(
    "DECISIONS_FILE is set, and OPT_OUT_KEY is not: nothing would authenticate the file.",
    "Create a key with `openssl rand -hex 32`, store it like a password, and set it for workers and imports.",
    EXIT.usage,
  );
}

export type FileKeeper = {
  /** False while the database lacks decisions of the file: it was restored from a backup. */
  isCurrent: () => Promise<boolean>;
  /** Writes the file if something changed. `isLast`: also if the last time is a moment ago. */
  write: (isLast?: boolean) => Promise<void>;
  report: () => WorkerFile;
};

/**
 * Keeps DECISIONS_FILE. While the database lacks decisions of it, the file is not written, and no request of a
 * holder is processed.
 */
export function keepFile(
  database: Database,
  { decisionsFile: path, optOutKeys: keys }: Pick<Config, "decisionsFile" | "optOutKeys">,
  onOlder: (message: string) => void,
): FileKeeper {
  /** The file and the number of decisions when both were compared last. */
  let compared: { state: string | null; decisions: number; isOlder: boolean } | null = null;
  /** What this process wrote last. */
  let written: { state: string | null; decisions: number } | null = null;
  /** Not by the clock of the machine, which may be set. */
  let currentAt: number | null = null;
  let pausedUntil = Number.NEGATIVE_INFINITY;
  const isCurrent = async () => {
    if (path === null) return true;
    const state = await findFileState(path);
    if (state === compared?.state && !compared.isOlder) return true;
    const decisions = await countDecisions(database);
    if (state === compared?.state && decisions === compared.decisions) return false;
    const isOlder = !(await knowsFile(database, path));
    if (isOlder && !compared?.isOlder) {
      onOlder(
        `${lacksDecisions(path)} No request of a holder is processed until it is imported: credence decisions import "${path}"`,
      );
    }
    compared = { state, decisions, isOlder };
    return !isOlder;
  };
  const write = async (isLast = false) => {
    const startedAt = performance.now();
    if (path === null || (startedAt < pausedUntil && !isLast)) return;
    if (!(await isCurrent())) return;
    const decisions = await countDecisions(database);
    if (written === null || written.decisions !== decisions || written.state !== (await findFileState(path))) {
      await exportDecisions(database, path, keys);
      written = { state: await findFileState(path), decisions };
      compared = { ...written, isOlder: false };
    }
    currentAt = performance.now();
    pausedUntil = currentAt + PAUSE_PER_WRITE * (currentAt - startedAt);
  };
  return {
    isCurrent,
    write,
    report: () => ({
      isOlder: compared?.isOlder ?? false,
      ageMs: currentAt === null ? null : performance.now() - currentAt,
    }),
  };
}

/** Writes all decisions as of one moment. Never over a file that knows more. */
export async function exportDecisions(database: Database, path: string, keys: readonly string[]): Promise<number> {
  const requireKnown = async () => {
    if (await knowsFile(database, path)) return;
    throw new SnapshotRefused(lacksDecisions(path), `Import it first: credence decisions import "${path}"`);
  };
  const state = await findFileState(path);
  await requireKnown();
  let lines = 0;
  const counted = async function* (content: AsyncIterable<string>) {
    for await (const line of content) {
      lines += 1;
      yield line;
    }
  };
  await inTransaction(
    database,
    async (connection) => {
      await planLookUps(connection);
      await writeFile(path, counted(streamFile(connection, keys, "all")), async () => {
        // Somebody may have copied a newer file there meanwhile.
        if ((await findFileState(path)) !== state) await requireKnown();
      });
    },
    "repeatable read, read only",
  );
  // Without the first and the last line.
  return lines - 2;
}

/** Whether the database has every decision of the file. Also if there is none. */
export async function knowsFile(database: Database, path: string): Promise<boolean> {
  if ((await findFileState(path)) === null) return true;
  const { decisions } = await readDecisions(openDecisions(path), []);
  return inTransaction(database, (connection) => knowsAll(connection, decisions), "read committed, read only");
}

/** Changes with every write. Null if there is no file. */
async function findFileState(path: string): Promise<string | null> {
  try {
    const { file, state } = await openRegular(path, "follow");
    await file.close();
    return `${state.device} ${state.inode} ${state.bytes} ${state.changed}`;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** The ledger only grows, but for foreign decisions that their own form replaces. */
const countDecisions = (connection: Connection): Promise<number> =>
  queryValue(connection, "select count(*) + count(*) filter (where not is_foreign) from decision");

/** Keeps the file up to date. */
export const fileJob = (keeper: FileKeeper): Job => ({
  name: FILE_JOB,
  everyMs: CHECK_EVERY_MS,
  wakes: false,
  retryMs: POLL_MS,
  async run() {
    await keeper.write();
    return undefined;
  },
});
