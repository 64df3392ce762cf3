import { setImmediate } from "node:timers/promises";
import { LIMITS } from "@credence/contract/person-limits.ts";
import { createRowEncoder, type RowEncoder } from "#core/database/copy.ts";
import { type Connection, type Database, type DedicatedConnection, withConnection } from "#core/database/database.ts";
import { splitLines } from "#core/files/lines.ts";
import type { Source } from "#core/files/source.ts";
import { canonicalWallet } from "#core/identity/wallet-address.ts";
import { listDigests } from "#people/facts/people.ts";
import { preparePerson } from "#people/write/prepare-person.ts";
import { type Refusal, readPerson } from "#snapshots/format/validate-line.ts";
import { importBatch } from "./import-batch.ts";
import {
  countLines,
  emptyResult,
  type Imported,
  type ImportOptions,
  type ImportRun,
  type IncomingLine,
  type LineContent,
  type Place,
} from "./import-run.ts";
import { createSeenPeople } from "./seen-people.ts";
import { digestLine, guessMainWallet, guessPassportId } from "./source-digest.ts";

const BATCH_LINES = 2_000;
const BATCH_BYTES = 16 * 1_048_576;

/**
 * Lines prepared before the event loop runs: about a millisecond of work. The same thread sends
 * rows to the database.
 */
const LINES_PER_TURN = 5;

/**
 * Imports people, one transaction per batch. While the database writes a batch, the next one is
 * read, validated and presented. An import has no state of its own: after an interruption it is run
 * again, and skips people that are stored already.
 */
export function importPeople(database: Database, source: Source, options: ImportOptions): Promise<Imported> {
  return withConnection(database, async (connection) => {
    await createSeenPeople(connection);
    const run: ImportRun = { ...options, imported: emptyResult() };
    await importBatches(database, connection, source, run);
    return run.imported;
  });
}

async function importBatches(
  database: Database,
  connection: DedicatedConnection,
  source: Source,
  run: ImportRun,
): Promise<void> {
  let saving = Promise.resolve();
  try {
    for await (const places of readBatches(source, run)) {
      const batch = await prepareBatch(database, places, run);
      await saving;
      saving = importBatch(connection, batch, run);
      // A failure is thrown by the `await` above; until then it is not an unhandled rejection.
      saving.catch(() => {});
    }
  } finally {
    // The connection must not be released while a batch is being written.
    await saving;
  }
}

async function* readBatches(source: Source, run: ImportRun): AsyncGenerator<Place[]> {
  let batch: Place[] = [];
  let batchBytes = 0;
  for (const file of source.files) {
    for await (const lines of splitLines(
      file.read(() => {}),
      LIMITS.lineBytes,
    )) {
      for (const line of lines) {
        batch.push({ file: file.name, line });
        batchBytes += line.bytes.length;
        if (batch.length < BATCH_LINES && batchBytes < BATCH_BYTES) continue;
        yield batch;
        run.onProgress(countLines(run.imported));
        batch = [];
        batchBytes = 0;
      }
    }
  }
  if (batch.length > 0) yield batch;
}

/**
 * Reads, validates and prepares a batch. Lines identical to the one that a person was imported from
 * are not read.
 */
async function prepareBatch(connection: Connection, places: readonly Place[], run: ImportRun): Promise<IncomingLine[]> {
  const guesses = places.map(({ line }) => guessPassportId(line.bytes));
  const guessedIds = guesses.filter((id) => id !== null);
  const digests = await listDigests(connection, guessedIds);
  const encode = createRowEncoder();
  const batch: IncomingLine[] = [];
  for (const [index, place] of places.entries()) {
    if (index % LINES_PER_TURN === 0) await setImmediate();
    const guess = guesses[index] ?? null;
    const digest = digestLine(place.line.bytes);
    const content: LineContent =
      guess !== null && digests.get(guess) === digest
        ? { kind: "unchanged", passport_id: guess }
        : prepareLine(place, guess, { digest, encode }, run);
    batch.push({ ...place, digest, content });
  }
  return batch;
}

type Preparation = {
  digest: string;
  encode: RowEncoder;
};

function prepareLine(
  { line }: Place,
  guess: number | null,
  { digest, encode }: Preparation,
  run: ImportRun,
): LineContent {
  const { person, refusal } = readPerson(line, run);
  if (person === null) return refused(line, guess, refusal);
  const prepared = preparePerson(person, { digest, lost_main: false }, encode);
  // V1 prints 1e-300 with 302 characters. What is stored can be exported, and imported again.
  if (3 * prepared.line.length > LIMITS.lineBytes && Buffer.byteLength(prepared.line) > LIMITS.lineBytes) {
    return refused(line, guess, { field: null, reason: `is longer than ${LIMITS.lineBytes} bytes as V1 prints it` });
  }
  return { kind: "person", incoming: person, person: prepared };
}

function refused({ bytes }: Place["line"], guess: number | null, refusal: Refusal): LineContent {
  const wallet = guessMainWallet(bytes);
  const wallets = wallet === null ? [] : [canonicalWallet(wallet)];
  return { kind: "refused", refusal, guessed: { passport_id: guess, wallets } };
}
