import Type from "typebox";
import { closed, count } from "./fields.ts";
import { MirroredPerson, OptOut, Person } from "./person.ts";

// A snapshot is a folder: a manifest, files with one person a line, and an optional opt-out file.

const snapshotFile = {
  name: Type.String({ pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$", description: "A file in the same folder." }),
  bytes: count({ description: "The size of the file in bytes, before decompression." }),
  sha256: Type.String({ pattern: "^[0-9a-f]{64}$", description: "SHA-256 of the file, before decompression." }),
};

const FEED = { pattern: "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$" };

const people = count({ description: "The number of people." });
const credentials = count({ description: "The number of credentials of these people." });

export const Manifest = closed({
  format: Type.Literal("credence-snapshot", { description: "Identifies a Credence snapshot." }),
  version: Type.Union([Type.Literal(1), Type.Literal(2)], {
    description: "The version of the format. 2: with `for`, which programs of before do not know.",
  }),
  created_at: Type.String({ format: "date-time", description: "When the snapshot was created, in UTC." }),
  source: Type.String({ description: "The origin of the people, as text or as a URL." }),
  people,
  credentials,
  files: Type.Array(closed({ ...snapshotFile, people, credentials }, { description: "One file of people." }), {
    description: "The files of people.",
  }),
  opt_out: Type.Optional(
    closed(
      { ...snapshotFile, opted_out: count({ description: "The number of opt-outs." }) },
      { description: "The file of opt-outs, if there is one." },
    ),
  ),
  for: Type.Optional(
    Type.Literal("mirrors", {
      description: "Only what V1 shows. `credence mirror` reads it, `credence import` does not.",
    }),
  ),
  feed: Type.Optional(
    Type.String({ ...FEED, description: "With `for`: identifies the publisher, also after a new key." }),
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

/** The name of the folder of a published snapshot: its `created_at`. */
const SNAPSHOT_NAME = "^\\d{4}-\\d{2}-\\d{2}T\\d{6}Z$";

/**
 * The first line of latest.json, which a publisher writes again every few minutes. The second line is
 * the signature of the first, in base64.
 */
export const Latest = closed({
  format: Type.Literal("credence-latest", { description: "Identifies the file." }),
  version: Type.Literal(1, { description: "The version of the format." }),
  feed: Type.String({ ...FEED, description: "Identifies the publisher, also after a new key." }),
  snapshot: Type.String({ pattern: SNAPSHOT_NAME, description: "The folder of the snapshot, beside this file." }),
  manifest_sha256: Type.String({ pattern: "^[0-9a-f]{64}$", description: "SHA-256 of the manifest in the folder." }),
  created_at: Type.String({ format: "date-time", description: "As in the manifest." }),
  at: Type.String({ format: "date-time", description: "When this file was written, in UTC." }),
  expires_at: Type.String({ format: "date-time", description: "Six hours after `at`. Nobody is shown after it." }),
  continues: Type.Optional(
    Type.String({
      format: "date-time",
      description: "After a take-over: `created_at` of the last snapshot of the publisher before.",
    }),
  ),
  ended: Type.Optional(
    Type.Literal(true, {
      description: "V1 has ended at the publisher. The snapshot is deleted, and no other follows.",
    }),
  ),
});
export type Latest = Type.Static<typeof Latest>;

export function snapshotSchema() {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Credence snapshot",
    description:
      "`person` is a line of a file of people, `opt_out` is a line of the opt-out file, `manifest` is manifest.json. In a snapshot for mirrors, `mirrored_person` is a line, and `latest` is the first line of latest.json.",
    $defs: {
      person: Person,
      opt_out: OptOut,
      manifest: Manifest,
      mirrored_person: MirroredPerson,
      latest: Latest,
    },
  };
}
