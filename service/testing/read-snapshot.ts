import type { Person } from "@credence/contract/person.ts";
import { splitLines } from "#core/files/lines.ts";
import { openSource } from "#core/files/source.ts";

/** The lines of all people files of a snapshot, in order. */
export async function readSnapshotLines(folder: string): Promise<string[]> {
  const { files } = await openSource(folder, []);
  const found: string[] = [];
  for (const file of files) {
    for await (const lines of splitLines(
      file.read(() => {}),
      1_048_576,
    )) {
      found.push(...lines.map(({ bytes }) => bytes.toString("utf8")));
    }
  }
  return found;
}

export const readSnapshotPeople = async (folder: string): Promise<Person[]> =>
  (await readSnapshotLines(folder)).map((line) => JSON.parse(line));
