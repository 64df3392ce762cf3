import { OptOut } from "@credence/contract/person.ts";
import { LIMITS } from "@credence/contract/person-limits.ts";
import { Compile } from "typebox/compile";
import { type Line, splitLines } from "#core/files/lines.ts";
import { SnapshotRefused } from "#core/files/refused.ts";
import type { SourceFile } from "#core/files/source.ts";

const isOptOut = Compile(OptOut);

/** Reads opt-outs. Throws at an invalid line: skipping it would restore an erased person. */
export async function* readOptOuts(file: SourceFile): AsyncGenerator<OptOut[]> {
  const chunks = file.read(() => {});
  for await (const lines of splitLines(chunks, LIMITS.lineBytes)) yield lines.map((line) => readOptOut(file, line));
}

function readOptOut(file: SourceFile, line: Line): OptOut {
  let value: unknown = null;
  try {
    value = JSON.parse(line.bytes.toString("utf8"));
  } catch {
    // Reported below.
  }
  // Hashes cannot be compared without the fingerprint of their key.
  if (isOptOut.Check(value) && (value.key === undefined) === (value.wallets === undefined)) return value;
  throw new SnapshotRefused(
    `Line ${line.number} of "${file.name}" is not an opt-out.`,
    "No opt-out may be skipped: fix the line. docs/SNAPSHOTS.md describes the format.",
  );
}
