import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { SnapshotRefused } from "#core/files/refused.ts";
import type { FieldCounts } from "#snapshots/format/field-counts.ts";
import type { Observation, Rejection } from "./observation.ts";
import { createWalletPlacer } from "./place-by-wallet.ts";
import { openPrevious } from "./previous.ts";
import { readSaved } from "./read-saved.ts";
import { openStateFolder } from "./state-folder.ts";
import { type Collected, type WriteOptions, writeCollected } from "./write-collected.ts";

export type FilesOptions = Omit<WriteOptions, "fields" | "previous" | "onProgress"> & {
  fields: FieldCounts;
  /** The folder of an earlier snapshot, for people who are not in the responses; null for none. */
  since: string | null;
  onRead: (responses: number) => void;
  onWritten: (people: number) => void;
};

/** Makes a snapshot of saved responses. */
export async function collectFiles(
  paths: readonly string[],
  out: string,
  options: FilesOptions,
): Promise<Collected & { responses: number }> {
  const target = resolve(out);
  if (paths.some((path) => `${target}/`.startsWith(`${resolve(path)}/`))) {
    throw new SnapshotRefused(`"${out}" is in a folder of responses.`, "Pass a folder elsewhere to --out.");
  }
  const state = await openStateFolder(out);
  if (state.isFinished || existsSync(state.pathOf("journal.ndjson"))) {
    state.release();
    throw new SnapshotRefused(
      `"${out}" belongs to a collection from a server.`,
      "Finish it with its command, or pass another folder to --out.",
    );
  }
  try {
    const previous = options.since === null ? null : await openPrevious(options.since, options.nulls);
    let responses = 0;
    let reject = (_: Rejection): void => {};
    const placer = createWalletPlacer(state.pathOf);
    const onRejected = (rejection: Rejection): void => reject(rejection);
    const observations = async function* (): AsyncGenerator<Observation> {
      const saved = readSaved(paths, {
        notes: options.fields,
        onRejected,
        onUnplaced: placer.addCredentials,
        onResponse: () => {
          responses += 1;
          options.onRead(responses);
        },
      });
      for await (const observation of saved) {
        placer.addOwner(observation);
        yield observation;
      }
      yield* placer.place(onRejected);
      if (previous !== null) yield* previous.read();
    };
    const collected = await writeCollected(
      observations(),
      state,
      {
        ...options,
        previous,
        collected: { ...options.collected, ...(previous !== null && { part: previous.part }) },
        onProgress: options.onWritten,
      },
      (add) => {
        reject = ({ file, id, reason }) => add({ passport_id: id, outcome: "rejected", reason, file });
      },
    );
    await state.publish();
    return { ...collected, responses };
  } finally {
    await state.remove();
    state.release();
  }
}
