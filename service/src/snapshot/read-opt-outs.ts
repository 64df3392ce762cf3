import { LIMITS, OptOut } from "@credence/contract/person.ts";
import { Compile } from "typebox/compile";
import { type Line, splitLines } from "./lines.ts";
import { SnapshotRefused } from "./refused.ts";
import type { SourceFile } from "./source.ts";

const isOptOut = Compile(OptOut);

/** Reads a file of opt-outs. One line that cannot be read stops everything: to overlook it would bring somebody back. */
export async function* readOptOuts(file: SourceFile): AsyncGenerator<OptOut[]> {
  for await (const lines of splitLines(
    file.read(() => {}),
    LIMITS.lineBytes,
  )) {
    yield lines.map((line) => readOptOut(file, line));
  }
}

function readOptOut(file: SourceFile, line: Line): OptOut {
  let given: unknown = null;
  try {
    given = JSON.parse(line.bytes.toString("utf8"));
  } catch {
    // Told below.
  }
  // Hashes without their key would say nothing.
  if (isOptOut.Check(given) && (given.key === undefined) === (given.wallets === undefined)) return given;
  throw new SnapshotRefused(
    `Line ${line.number} of ${file.name} is no opt-out.`,
    "Nobody may be overlooked there: mend the line. docs/SNAPSHOTS.md describes it.",
  );
}
