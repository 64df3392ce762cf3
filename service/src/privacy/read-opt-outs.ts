import { OptOut } from "@credence/contract/person.ts";
import { LIMITS } from "@credence/contract/person-limits.ts";
import { Compile } from "typebox/compile";
import { splitLines } from "#core/files/lines.ts";
import { SnapshotRefused } from "#core/files/refused.ts";
import type { SourceFile } from "#core/files/source.ts";

const isOptOut = Compile(OptOut);

/** Reads opt-outs. Throws at an invalid line: skipping it would restore an erased person. */
export async function* readOptOuts(file: SourceFile): AsyncGenerator<OptOut[]> {
  const chunks = file.read(() => {});
  for await (const lines of splitLines(chunks, LIMITS.lineBytes)) {
    yield lines.map(({ number, bytes }) => {
      const value = parse(bytes);
      // Hashes cannot be compared without the fingerprint of their key.
      if (isOptOut.Check(value) && (value.key === undefined) === (value.wallets === undefined)) return value;
      throw new SnapshotRefused(
        `Line ${number} of "${file.name}" is not an opt-out.`,
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
