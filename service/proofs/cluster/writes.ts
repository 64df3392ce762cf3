import { setTimeout as delay } from "node:timers/promises";
import { type Database, queryColumn } from "#core/database/database.ts";
import { savePeople } from "#people/write/save-people.ts";
import { erase, hide } from "#testing/decide.ts";
import { person } from "#testing/people.ts";

type Writes = {
  acknowledged: number;
  unknown: number;
  longest_gap_ms: number;
};

export type Writers = {
  take: () => Writes;
  /** Lists what was lost: the row of an acknowledged write, a hidden or erased person who is stored as before. */
  findLost: (database: Database) => Promise<string[]>;
  /** The last version of each person that was sent. */
  versions: ReadonlyMap<number, number>;
  /** People who were hidden or erased, with the time of the acknowledgement. */
  hidden: ReadonlyMap<number, number>;
  stop: () => Promise<void>;
};

const PAUSE_MS = 100;
const HIDE_EVERY_MS = 1_000;
/** Each write of a version adds a person in the same transaction, whom nothing changes later. */
const FIRST_ADDED = 4_000_001;
const isErased = (passportId: number): boolean => passportId % 2 === 0;

/**
 * Writes versions of a few people, each with a new person, and hides or erases others, one at a time each. The
 * outcome of a write that fails is unknown: the person may have either version, and the next write settles it.
 */
export function startWrites(
  database: Database,
  versionedIds: readonly number[],
  hideableIds: readonly number[],
): Writers {
  let writes: Writes = { acknowledged: 0, unknown: 0, longest_gap_ms: 0 };
  let isStopped = false;
  const versions = new Map(versionedIds.map((id) => [id, 0]));
  const hidden = new Map<number, number>();
  /** The new people of acknowledged writes. */
  const added: number[] = [];
  let nextAdded = FIRST_ADDED;
  let lastAt = performance.now();
  const attempt = async (write: () => Promise<unknown>): Promise<boolean> => {
    try {
      await write();
      writes.acknowledged += 1;
      return true;
    } catch {
      writes.unknown += 1;
      return false;
    } finally {
      const now = performance.now();
      writes.longest_gap_ms = Math.max(writes.longest_gap_ms, Math.round(now - lastAt));
    }
  };
  const writeVersions = async (id: number) => {
    for (let version = 1; !isStopped; version += 1) {
      versions.set(id, version);
      const addedId = nextAdded++;
      const people = [person(id, { score: version }), person(addedId, { score: 0 })];
      if (await attempt(() => savePeople(database, people))) {
        added.push(addedId);
        lastAt = performance.now();
      }
      await delay(PAUSE_MS);
    }
  };
  const hidePeople = async () => {
    for (const passportId of hideableIds) {
      if (isStopped) return;
      const decide = isErased(passportId) ? erase : hide;
      while (!isStopped && !(await attempt(() => decide(database, [passportId])))) {
        await delay(PAUSE_MS);
      }
      hidden.set(passportId, performance.now());
      await delay(HIDE_EVERY_MS);
    }
  };
  const writing = Promise.all([...versionedIds.map(writeVersions), hidePeople()]);
  return {
    versions,
    hidden,
    take: () => {
      const taken = writes;
      writes = { acknowledged: 0, unknown: 0, longest_gap_ms: 0 };
      return taken;
    },
    findLost: async (reader) => {
      const [hiddenBefore, erasedBefore] = [false, true].map((isErase) =>
        [...hidden.keys()].filter((id) => isErased(id) === isErase),
      );
      // Also the last version of each person: it was written with one of these.
      return queryColumn<string>(
        reader,
        `select 'the row of an acknowledged write: passport ' || id
         from unnest($1::bigint[]) as id where not exists (select from person where passport_id = id)
         union all select 'hidden passport ' || id
         from unnest($2::bigint[]) as id where not exists (select from person_state where passport_id = id)
         union all select 'erased passport ' || passport_id from person where passport_id = any ($3)`,
        [added, hiddenBefore, erasedBefore],
      );
    },
    stop: async () => {
      isStopped = true;
      await writing;
    },
  };
}
