import { type FileHandle, open } from "node:fs/promises";
import { SnapshotRefused } from "#core/files/refused.ts";

/** A page of the list, without its people: only what the rest of the collection needs. */
export type PageRecord = {
  url: string;
  status: 200;
  at: string;
  pass: number;
  page: number;
  /** Null if the server does not say. */
  last_page: number | null;
  total: number | null;
  ids: number[];
  /** With --since: those of the ids to fetch. */
  changed?: number[];
};

/**
 * A response about a person, in the form that `credence collect --from-files` reads. `body` is the
 * text that was received. `isUnsure`: it is not V1 that says that the person is gone.
 */
export type PersonRecord = {
  url: string;
  status: number;
  at: string;
  body?: string;
  gone?: string;
  isUnsure?: true;
};

export type JournalRecord = PageRecord | PersonRecord;

/** What the journal is about. Another collection must not continue it. */
export type Purpose = { collect: 1; server: string; mode: string };

export type Journal = {
  path: string;
  /** Resolves when the record is on disk. */
  append: (record: JournalRecord) => Promise<void>;
  close: () => Promise<void>;
};

const NEWLINE = 0x0a;
const CHUNK_BYTES = 1_048_576;

/**
 * Opens a journal and replays its records. It is append-only. A last record that is torn, by a
 * crash or a full disk, is dropped: it never counted.
 */
export async function openJournal(
  path: string,
  purpose: Purpose,
  replay: (record: JournalRecord) => void,
): Promise<Journal> {
  const file = await open(path, "a+", 0o600);
  const append = async (record: object): Promise<void> => {
    await file.appendFile(`${JSON.stringify(record)}\n`);
    await file.datasync();
  };
  try {
    const sizeBytes = await replayRecords(file, path, purpose, replay);
    await file.truncate(sizeBytes);
    if (sizeBytes === 0) await append(purpose);
  } catch (error) {
    await file.close();
    throw error;
  }
  return { path, append, close: () => file.close() };
}

/** Returns the length of the valid part. */
async function replayRecords(
  file: FileHandle,
  path: string,
  purpose: Purpose,
  replay: (record: JournalRecord) => void,
): Promise<number> {
  let validBytes = 0;
  let torn: number | null = null;
  for await (const { bytes, end } of readLines(file)) {
    const record = parse(bytes);
    // The disk may have kept the end of the file but not all of its content.
    if (record === null) {
      torn ??= validBytes;
      continue;
    }
    if (torn !== null) throw damaged(path);
    if (validBytes === 0) requirePurpose(path, record as Purpose, purpose);
    else replay(record as JournalRecord);
    validBytes = end;
  }
  return validBytes;
}

async function* readLines(file: FileHandle): AsyncGenerator<{ bytes: Buffer; end: number }> {
  let rest = Buffer.alloc(0);
  let end = 0;
  const buffer = Buffer.alloc(CHUNK_BYTES);
  for (let position = 0; ; ) {
    const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    const chunk = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
    let start = 0;
    for (let index = chunk.indexOf(NEWLINE); index !== -1; index = chunk.indexOf(NEWLINE, start)) {
      end += index + 1 - start;
      yield { bytes: chunk.subarray(start, index), end };
      start = index + 1;
    }
    rest = chunk.subarray(start);
  }
}

function parse(bytes: Buffer): object | null {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return null;
  }
}

function requirePurpose(path: string, found: Purpose, wanted: Purpose): void {
  if (found.collect === 1 && found.server === wanted.server && found.mode === wanted.mode) return;
  throw new SnapshotRefused(
    `"${path}" belongs to another collection: ${found.mode} from ${found.server}.`,
    "Finish that one with its command, or remove the folder to start again.",
  );
}

const damaged = (path: string): SnapshotRefused =>
  new SnapshotRefused(`"${path}" is damaged.`, "Remove the folder of this file, and start again.");
