import Type from "typebox";
import { closed, count } from "./fields.ts";
import { OptOut, Person } from "./person.ts";

/** A snapshot is a folder: files of people, one a line, an optional file of opt-outs, and this beside them. */
const SnapshotFile = {
  name: Type.String({ pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$", description: "In this folder, never elsewhere." }),
  bytes: count({ description: "The size of the file as it lies there, in bytes." }),
  sha256: Type.String({ pattern: "^[0-9a-f]{64}$", description: "SHA-256 of the file as it lies there." }),
};

const people = count({ description: "How many people it holds." });
const credentials = count({ description: "How many credentials these people have." });

export const Manifest = closed({
  format: Type.Literal("credence-snapshot", { description: "Says that this is a snapshot of Credence." }),
  version: Type.Literal(1, { description: "The version of the format." }),
  created_at: Type.String({ format: "date-time", description: "When the snapshot was made, in UTC." }),
  source: Type.String({ description: "Where the people come from, in words or as an address." }),
  people,
  credentials,
  files: Type.Array(closed({ ...SnapshotFile, people, credentials }, { description: "One file of people." }), {
    description: "The files of people.",
  }),
  opt_out: Type.Optional(
    closed(
      { ...SnapshotFile, opted_out: count({ description: "How many people it names." }) },
      { description: "The file of opt-outs, if there is one." },
    ),
  ),
});
export type Manifest = Type.Static<typeof Manifest>;

export const MANIFEST_NAME = "manifest.json";
export const SIGNATURE_NAME = "manifest.json.sig";

export function snapshotSchema() {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Credence snapshot, version 1",
    description:
      "`person` is a line of a file of people, `opt_out` a line of the opt-out file, `manifest` is manifest.json.",
    $defs: { person: Person, opt_out: OptOut, manifest: Manifest },
  };
}
