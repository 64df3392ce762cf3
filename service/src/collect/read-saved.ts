import type { Dirent } from "node:fs";
import { opendir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { readBytes } from "#core/files/decompress.ts";
import { openRegular } from "#core/files/open-file.ts";
import { SnapshotRefused } from "#core/files/refused.ts";
import { type FieldNotes, parseKeepingCounts } from "./lossless.ts";
import type { Observation, Rejection, UnplacedCredentials } from "./observation.ts";
import { idInFileName, type Origin, readResponse } from "./read-response.ts";
import { splitJson } from "./split-json.ts";

/** A page of the list with 100 large people is the largest V1 response. */
export const MAX_BODY_BYTES = 32 * 1_048_576;

export type ReadEvents = {
  notes: FieldNotes;
  /** Called for credentials whose URL has a wallet. */
  onUnplaced: (credentials: UnplacedCredentials) => void;
  onRejected: (rejection: Rejection) => void;
  /** Called for each JSON object. */
  onResponse: () => void;
};

/** Reads saved responses from files and, recursively, from folders. The order has no meaning. */
export async function* readSaved(paths: readonly string[], events: ReadEvents): AsyncGenerator<Observation> {
  for (const path of paths) {
    const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
      const message =
        error.code === "ENOENT" ? `"${path}" does not exist.` : `"${path}" cannot be read: ${error.code}.`;
      throw new SnapshotRefused(message, "Pass files and folders of saved V1 responses.", { cause: error });
    });
    if (found.isDirectory()) yield* readFolder(path, events);
    else yield* readFile(path, "follow", events);
  }
}

async function* readFolder(folder: string, events: ReadEvents): AsyncGenerator<Observation> {
  for await (const entry of await opendir(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* readFolder(path, events);
    else if (entry.isFile()) yield* readFile(path, "refuse", events);
    else events.onRejected({ file: path, id: null, reason: `is ${kindOf(entry)}, not a regular file` });
  }
}

const kindOf = (entry: Dirent): string => (entry.isSymbolicLink() ? "a link" : "a device, pipe or socket");

async function* readFile(path: string, links: "follow" | "refuse", events: ReadEvents): AsyncGenerator<Observation> {
  const { file, state } = await openRegular(path, links);
  const id = idInFileName(basename(path));
  const reader = createReader({ file: path, url: null, at: null, id }, events);
  try {
    for await (const parts of splitJson(
      readBytes({ path, file, state }, () => {}),
      MAX_BODY_BYTES,
    )) {
      for (const { bytes, problem } of parts) {
        events.onResponse();
        if (bytes === null) events.onRejected({ file: path, id: null, reason: problem });
        else yield* readOrReject(reader.read(bytes), path, events);
      }
    }
    yield* reader.end();
  } catch (error) {
    if (!(error instanceof SnapshotRefused)) throw error;
    events.onRejected({ file: path, id: null, reason: error.message });
  } finally {
    await file.close();
  }
}

/** A value that is nested too deeply can be parsed, but not printed. */
function* readOrReject(found: Generator<Observation>, file: string, events: ReadEvents): Generator<Observation> {
  try {
    yield* found;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    events.onRejected({ file, id: null, reason: "a response is nested too deeply" });
  }
}

/**
 * The name of a file can be the id of one credentials response only. The first one is kept until
 * the end of the file: if there are several, all are rejected.
 */
function createReader(origin: Origin, { notes, onRejected, onUnplaced }: ReadEvents) {
  let named: Observation | null = null;
  let isAmbiguous = false;
  const rejectNamed = () =>
    onRejected({
      file: origin.file,
      id: null,
      reason: "its file has several credentials without a URL, so the name of the file cannot be their passport id",
    });
  return {
    *read(bytes: Buffer): Generator<Observation> {
      for (const found of readResponse(parse(bytes, notes), origin, notes)) {
        if ("reason" in found) onRejected(found);
        else if ("wallet" in found) onUnplaced(found);
        else if (!found.isNamed) yield found;
        else if (named === null && !isAmbiguous) named = found;
        else {
          if (named !== null) rejectNamed();
          rejectNamed();
          named = null;
          isAmbiguous = true;
        }
      }
    },
    *end(): Generator<Observation> {
      if (named !== null) yield named;
    },
  };
}

function parse(bytes: Buffer, notes: FieldNotes): unknown {
  try {
    return parseKeepingCounts(bytes.toString("utf8"), notes);
  } catch {
    return null;
  }
}
