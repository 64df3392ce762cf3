import { createReadStream } from "node:fs";
import { splitLines } from "#core/files/lines.ts";
import type { JournalRecord } from "./journal.ts";
import type { FieldNotes } from "./lossless.ts";
import type { Observation } from "./observation.ts";
import { idInUrl, readResponse } from "./read-response.ts";
import { MAX_BODY_BYTES } from "./read-saved.ts";

/** The responses in a journal. `isSkipped`: people whose responses are incomplete or unwanted. */
export async function* readJournal(
  path: string,
  isSkipped: (id: number) => boolean,
  notes: FieldNotes,
): AsyncGenerator<Observation> {
  for await (const lines of splitLines(createReadStream(path), 2 * MAX_BODY_BYTES)) {
    for (const { bytes } of lines) {
      const record: JournalRecord = JSON.parse(bytes.toString("utf8"));
      const id = "pass" in record || record.url === undefined ? null : idInUrl(record.url);
      if (id === null || "pass" in record || isSkipped(id)) continue;
      const origin = { file: path, url: record.url, at: null, id };
      for (const found of readResponse(record, origin, notes)) if ("id" in found && !("reason" in found)) yield found;
    }
  }
}
