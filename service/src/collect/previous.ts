import { hash } from "node:crypto";
import { LIMITS } from "@credence/contract/limits.ts";
import type { Person } from "@credence/contract/person.ts";
import { splitLines } from "#snapshot/lines.ts";
import { SnapshotRefused } from "#snapshot/refused.ts";
import { openSource } from "#snapshot/source.ts";
import { readPerson } from "#snapshot/validate-line.ts";
import { NO_NOTES } from "./lossless.ts";
import type { Observation } from "./observation.ts";
import { canonicalPassport, listedPart } from "./observe.ts";

/** A run with --since fetches this part of the unchanged people again. */
export const PARTS = 30;

/** The snapshot of the previous run. */
export type Previous = {
  /** The part of the unchanged people that this run fetches: the one after the previous run's. */
  part: number;
  createdAt: string;
  ids: () => Iterable<number>;
  has: (id: number) => boolean;
  /** Merged people are not in the list. */
  isMerged: (id: number) => boolean;
  /** Whether an entry of the list differs from the snapshot, or is not in it. */
  isChanged: (id: number, entry: Record<string, unknown>) => boolean;
  read: () => AsyncGenerator<Observation>;
};

/** 48 bits of a digest of the fields that the list shows. They fit into a number. */
function digestOf(passport: Record<string, unknown>): number {
  // A server may send fields outside V1 in one kind of response only.
  const { verified, passport_profile, ...listed } = listedPart(canonicalPassport(passport, NO_NOTES));
  const { name, image_url, ...profile } = (passport_profile ?? {}) as Record<string, unknown>;
  return hash("sha256", JSON.stringify({ ...listed, profile }), "buffer").readUIntBE(0, 6);
}

export async function openPrevious(folder: string): Promise<Previous> {
  const source = await openSource(folder, null);
  if (source.manifest === null) {
    throw new SnapshotRefused(`${folder} is not a snapshot.`, "Pass the folder of the previous run to --since.");
  }
  await source.check(() => {});
  const digests = new Map<number, number>();
  const merged = new Set<number>();
  const readPeople = async function* (): AsyncGenerator<{ person: Person; text: string }> {
    for (const file of source.files) {
      for await (const lines of splitLines(
        file.read(() => {}),
        LIMITS.lineBytes,
      )) {
        for (const line of lines) {
          const { person } = readPerson(line);
          if (person !== null) yield { person, text: line.bytes.toString("utf8") };
        }
      }
    }
  };
  for await (const { person } of readPeople()) {
    const { passport_id: id } = person.passport;
    digests.set(id, digestOf(person.passport));
    if (person.passport.merged) merged.add(id);
  }
  const { created_at: createdAt, collected } = source.manifest;
  return {
    createdAt,
    part: collected?.part === undefined ? 0 : (collected.part + 1) % PARTS,
    ids: () => digests.keys(),
    has: (id) => digests.has(id),
    isMerged: (id) => merged.has(id),
    isChanged: (id, entry) => digests.get(id) !== digestOf(entry),
    async *read() {
      for await (const { person, text } of readPeople()) {
        const { passport_id: id, last_calculated_at: calculatedAt } = person.passport;
        yield { id, kind: "previous", at: null, calculatedAt, text };
      }
    },
  };
}
