import Type from "typebox";
import { Decision, DecisionsEnd, DecisionsHeader } from "./decision.ts";
import { closed, count } from "./fields.ts";
import { Person } from "./person.ts";

// A snapshot is a folder: a manifest, files with one person a line, and an optional file of decisions.

const snapshotFile = {
  name: Type.String({ pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$", description: "A file in the same folder." }),
  bytes: count({ description: "The size of the file in bytes, before decompression." }),
  sha256: Type.String({ pattern: "^[0-9a-f]{64}$", description: "SHA-256 of the file, before decompression." }),
};

const people = count({ description: "The number of people." });
const credentials = count({ description: "The number of credentials of these people." });

export const Manifest = closed({
  format: Type.Literal("credence-snapshot", { description: "Identifies a Credence snapshot." }),
  version: Type.Literal(1, { description: "The version of the format." }),
  created_at: Type.String({ format: "date-time", description: "When the snapshot was created, in UTC." }),
  source: Type.String({ description: "The origin of the people, as text or as a URL." }),
  people,
  credentials,
  files: Type.Array(closed({ ...snapshotFile, people, credentials }, { description: "One file of people." }), {
    description: "The files of people.",
  }),
  decisions: Type.Optional(
    closed(
      { ...snapshotFile, decisions: count({ description: "The number of decisions." }) },
      { description: "The file of decisions about people, if there is one." },
    ),
  ),
  collected: Type.Optional(
    closed(
      {
        basis: Type.Optional(
          Type.String({ maxLength: 1_000, description: "The operator's right to copy the data, in their own words." }),
        ),
        part: Type.Optional(
          count({ maximum: 29, description: "Which thirtieth of the unchanged people was fetched again." }),
        ),
        replaced: Type.Optional(
          Type.Record(Type.String(), people, {
            description: "By field, the number of people whose null was replaced by 0 or by an empty list.",
          }),
        ),
        kept: Type.Optional(
          Type.Array(
            closed(
              {
                since: Type.String({
                  format: "date-time",
                  description: "When the records were valid for the last time.",
                }),
                passport_ids: Type.Array(count({ minimum: 1, description: "A passport_id." }), {
                  description: "The people.",
                }),
              },
              { description: "People whose records have the same age." },
            ),
            { description: "People whose responses could not be used, with the record of an earlier snapshot." },
          ),
        ),
      },
      { description: "Present if `credence collect` has written the snapshot." },
    ),
  ),
});
export type Manifest = Type.Static<typeof Manifest>;

export function snapshotSchema() {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Credence snapshot",
    description:
      "`person` is a line of a file of people, `manifest` is manifest.json. A file of decisions has a `decisions_header`, lines with a `decision`, and a `decisions_end`.",
    $defs: {
      person: Person,
      decisions_header: DecisionsHeader,
      decision: Decision,
      decisions_end: DecisionsEnd,
      manifest: Manifest,
    },
  };
}
