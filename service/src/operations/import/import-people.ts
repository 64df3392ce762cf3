import { setImmediate } from "node:timers/promises";
import { LIMITS } from "@credence/contract/person.ts";
import { canonicalWallet } from "#identity/reference.ts";
import { preparePerson } from "#operations/write/prepare-person.ts";
import { splitLines } from "#snapshot/lines.ts";
import type { Source } from "#snapshot/source.ts";
import { readPerson } from "#snapshot/validate-line.ts";
import { createRowEncoder, type RowEncoder } from "#store/engine/copy.ts";
import { type Connection, type Database, withConnection } from "#store/engine/database.ts";
import { createGivenPeople } from "#store/people/seen-people.ts";
import { listSourceDigests } from "#store/people/stored-states.ts";
import { listHeldScores } from "./adjust-person.ts";
import { importBatch } from "./import-batch.ts";
import {
  countLines,
  type GivenLine,
  type HeldScores,
  type Imported,
  type ImportOptions,
  type ImportRun,
  type LineContent,
  noneYet,
  type Place,
} from "./import-run.ts";
import { digestLine, guessMainWallet, guessPassportId } from "./source-digest.ts";

const BATCH_LINES = 2_000;
const BATCH_BYTES = 16 * 1_048_576;

/** Lines are read by the thread that also feeds the database: after about a millisecond's work it looks there. */
const LINES_AT_A_TIME = 5;

/**
 * Takes people in, a batch a transaction. While the database takes one batch, the next is read, checked and presented. Nothing
 * is kept between two runs: one that was stopped is run again, and passes over whom it finds as they are given.
 */
export function importPeople(database: Database, source: Source, options: ImportOptions): Promise<Imported> {
  return withConnection(database, async (connection) => {
    await createGivenPeople(connection);
    const run: ImportRun = { ...options, imported: noneYet() };
    let saving = Promise.resolve();
    try {
      for await (const places of readBatches(source, run)) {
        const batch = await prepareBatch(database, places, run.recalculate);
        await saving;
        saving = importBatch(connection, batch, run);
        // It is awaited when the next batch is read; a failure until then is not unheard.
        saving.catch(() => {});
      }
    } finally {
      // Whatever ends the reading, the connection is not given back before this is done with it.
      await saving;
    }
    return run.imported;
  });
}

async function* readBatches(source: Source, run: ImportRun): AsyncGenerator<Place[]> {
  let batch: Place[] = [];
  let batchBytes = 0;
  let bytes = 0;
  const onRaw = (chunk: Buffer) => {
    bytes += chunk.length;
  };
  for (const file of source.files) {
    for await (const lines of splitLines(file.read(onRaw), LIMITS.lineBytes)) {
      for (const line of lines) {
        batch.push({ file: file.name, line });
        batchBytes += line.bytes.length;
        if (batch.length < BATCH_LINES && batchBytes < BATCH_BYTES) continue;
        yield batch;
        run.onProgress({ people: countLines(run.imported), bytes });
        batch = [];
        batchBytes = 0;
      }
    }
  }
  if (batch.length > 0) yield batch;
}

/** Reads, checks and prepares the people of a batch, except those who were imported from the very same line and not changed since. */
async function prepareBatch(
  connection: Connection,
  places: readonly Place[],
  recalculate: boolean,
): Promise<GivenLine[]> {
  const guesses = places.map(({ line }) => guessPassportId(line.bytes));
  const known = guesses.filter((id) => id !== null);
  const digests = await listSourceDigests(connection, known);
  // Read again under the lock: here only so that few people have to be prepared twice.
  const held = recalculate ? await listHeldScores(connection, known) : null;
  const press = createRowEncoder();
  const batch: GivenLine[] = [];
  for (const [at, place] of places.entries()) {
    if (at % LINES_AT_A_TIME === 0) await setImmediate();
    const guess = guesses[at] ?? null;
    const digest = digestLine(place.line.bytes, !recalculate);
    const isHeld = guess !== null && digests.get(guess) === digest;
    const content = isHeld ? alreadyHeld(guess) : prepareLine(place, guess, digest, held, press);
    batch.push({ ...place, digest, content });
  }
  return batch;
}

const alreadyHeld = (passport_id: number): LineContent => ({ kind: "unchanged", passport_id });

function prepareLine(
  { line }: Place,
  guess: number | null,
  digest: string,
  held: ReadonlyMap<number, HeldScores> | null,
  press: RowEncoder,
): LineContent {
  const { person, refusal } = readPerson(line);
  if (person === null) {
    const wallet = guessMainWallet(line.bytes);
    const guessed = { passport_id: guess, main_wallet: wallet === null ? null : canonicalWallet(wallet) };
    return { kind: "refused", refusal, guessed };
  }
  const scores = held?.get(person.passport.passport_id);
  const passport = scores === undefined ? person.passport : { ...person.passport, ...scores };
  return { kind: "person", person: preparePerson({ ...person, passport }, digest, press, held !== null), scores };
}
