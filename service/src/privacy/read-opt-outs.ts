import { OptOut, Removed } from "@credence/contract/person.ts";
import { LIMITS } from "@credence/contract/person-limits.ts";
import { Compile } from "typebox/compile";
import { splitLines } from "#core/files/lines.ts";
import { SnapshotRefused } from "#core/files/refused.ts";
import type { SourceFile } from "#core/files/source.ts";

const isOptOut = Compile(OptOut);
const isRemoved = Compile(Removed);

/** Reads opt-outs. Throws at an invalid line: skipping it would restore an erased person. */
export const readOptOuts = (file: SourceFile): AsyncGenerator<OptOut[]> =>
  readAll(
    file,
    // Hashes cannot be compared without the fingerprint of their key.
    (value): value is OptOut => isOptOut.Check(value) && (value.key === undefined) === (value.wallets === undefined),
    "an opt-out",
  );

/** Reads the ids of people who were removed with another, in the same way. */
export const readRemoved = (file: SourceFile): AsyncGenerator<Removed[]> =>
  readAll(file, (value): value is Removed => isRemoved.Check(value), "the id of a removed person");

async function* readAll<Item>(
  file: SourceFile,
  isItem: (value: unknown) => value is Item,
  what: string,
): AsyncGenerator<Item[]> {
  const chunks = file.read(() => {});
  for await (const lines of splitLines(chunks, LIMITS.lineBytes)) {
    yield lines.map(({ number, bytes }) => {
      const value = parse(bytes);
      if (isItem(value)) return value;
      throw new SnapshotRefused(
        `Line ${number} of "${file.name}" is not ${what}.`,
        "None may be skipped: fix the line. docs/SNAPSHOTS.md describes the format.",
      );
    });
  }
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return null;
  }
}
