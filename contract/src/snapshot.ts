import Type from "typebox";
import { closed, count } from "./fields.ts";
import { OptOut, Person } from "./person.ts";

/** A snapshot is a folder: files of people, one a line, an optional file of opt-outs, and this beside them. */
const SnapshotFile = {
  name: Type.String({ pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$", description: "In this folder, never elsewhere." }),
  bytes: count({ description: "Of the file as it lies there." }),
  sha256: Type.String({ pattern: "^[0-9a-f]{64}$", description: "Of the file as it lies there." }),
};

export const Manifest = closed({
  format: Type.Literal("credence-snapshot"),
  version: Type.Literal(1),
  created_at: Type.String({ format: "date-time" }),
  source: Type.String({ description: "Where the people come from, in words or as an address." }),
  people: count(),
  credentials: count(),
  files: Type.Array(closed({ ...SnapshotFile, people: count(), credentials: count() })),
  opt_out: Type.Optional(closed({ ...SnapshotFile, opted_out: count() })),
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
