import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { splitLines } from "#core/files/lines.ts";
import { type Observation, parseObservation, printObservation } from "./observation.ts";
import { MAX_BODY_BYTES } from "./read-saved.ts";

/** How much is sorted in memory, and how many sorted files are merged at a time. */
const SIZES = { runBytes: 8 * 1_048_576, maxRuns: 64 };
const NEWLINE = Buffer.from("\n");
const READ_BYTES = 65_536;
const MAX_LINE_BYTES = MAX_BODY_BYTES + 1_024;

type Entry = { id: number; line: Buffer };
type Run = { next: () => Promise<Entry | null> };

/**
 * Sorts observations by id in files of this folder, which is created and removed: memory does not
 * depend on their number. Observations of one id stay in no particular order.
 */
export async function* sortObservations(
  observations: AsyncIterable<Observation>,
  folder: string,
  { runBytes, maxRuns } = SIZES,
): AsyncGenerator<Observation> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { mode: 0o700 });
  /** Sorted files; those of a level are merged files of the level before. */
  const levels: string[][] = [];
  let created = 0;
  const write = async (entries: AsyncIterable<Entry> | Iterable<Entry>): Promise<string> => {
    created += 1;
    const path = join(folder, `run-${created}`);
    await pipeline(joinEntries(entries), createWriteStream(path, { mode: 0o600 }));
    return path;
  };
  const addRun = async (path: string, level = 0): Promise<void> => {
    const runs = [...(levels[level] ?? []), path];
    levels[level] = runs;
    if (runs.length < maxRuns) return;
    levels[level] = [];
    const merged = await write(merge(runs.map(openRun)));
    for (const run of runs) await rm(run);
    await addRun(merged, level + 1);
  };
  try {
    for await (const entries of takeRuns(observations, runBytes)) {
      await addRun(await write(entries.sort((a, b) => a.id - b.id)));
    }
    for await (const { line } of merge(levels.flat().map(openRun))) yield parseObservation(line.toString("utf8"));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Takes as many observations as fit into one buffer, which is used again for the next ones: a
 * buffer for each would fragment the memory.
 */
async function* takeRuns(observations: AsyncIterable<Observation>, runBytes: number): AsyncGenerator<Entry[]> {
  const buffer = Buffer.allocUnsafe(runBytes);
  let entries: Entry[] = [];
  let end = 0;
  for await (const observation of observations) {
    const text = printObservation(observation);
    const sizeBytes = Buffer.byteLength(text);
    if (end + sizeBytes > runBytes && entries.length > 0) {
      yield entries;
      entries = [];
      end = 0;
    }
    const { id } = observation;
    if (sizeBytes > runBytes) {
      yield [{ id, line: Buffer.from(text) }];
      continue;
    }
    buffer.write(text, end);
    entries.push({ id, line: buffer.subarray(end, end + sizeBytes) });
    end += sizeBytes;
  }
  if (entries.length > 0) yield entries;
}

/** Joins lines into chunks, to save system calls. */
async function* joinEntries(entries: AsyncIterable<Entry> | Iterable<Entry>): AsyncGenerator<Buffer> {
  let lines: Buffer[] = [];
  let sizeBytes = 0;
  for await (const { line } of entries) {
    lines.push(line, NEWLINE);
    sizeBytes += line.length;
    if (sizeBytes < READ_BYTES * 4) continue;
    yield Buffer.concat(lines);
    lines = [];
    sizeBytes = 0;
  }
  yield Buffer.concat(lines);
}

function openRun(path: string): Run {
  const batches = splitLines(createReadStream(path, { highWaterMark: READ_BYTES }), MAX_LINE_BYTES);
  let lines: Buffer[] = [];
  let index = 0;
  return {
    next: async () => {
      while (index === lines.length) {
        const batch = await batches.next();
        if (batch.done) return null;
        lines = batch.value.map(({ bytes }) => bytes);
        index = 0;
      }
      const line = lines[index] as Buffer;
      index += 1;
      return { id: Number(line.toString("latin1", 0, line.indexOf(0x09))), line };
    },
  };
}

/** Merges sorted runs with a binary heap. */
async function* merge(runs: readonly Run[]): AsyncGenerator<Entry> {
  const heap: { entry: Entry; run: Run }[] = [];
  const swap = (a: number, b: number) => ([heap[a], heap[b]] = [heap[b] as never, heap[a] as never]);
  const idAt = (index: number): number => heap[index]?.entry.id ?? Number.POSITIVE_INFINITY;
  const sink = (from: number): void => {
    const left = 2 * from + 1;
    const smallest = idAt(left) <= idAt(left + 1) ? left : left + 1;
    if (idAt(smallest) >= idAt(from)) return;
    swap(from, smallest);
    sink(smallest);
  };
  for (const run of runs) {
    const entry = await run.next();
    if (entry !== null) heap.push({ entry, run });
  }
  heap.sort((a, b) => a.entry.id - b.entry.id);
  for (let top = heap[0]; top !== undefined; top = heap[0]) {
    yield top.entry;
    const entry = await top.run.next();
    if (entry !== null) top.entry = entry;
    else {
      const last = heap.pop();
      if (last === top || last === undefined) continue;
      heap[0] = last;
    }
    sink(0);
  }
}
