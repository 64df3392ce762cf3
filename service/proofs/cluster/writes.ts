import { setTimeout as delay } from "node:timers/promises";
import type { Database } from "#core/database/database.ts";
import { savePeople } from "#people/write/save-people.ts";
import { changePerson } from "#privacy/change-person.ts";
import { erasePerson } from "#privacy/erase-person.ts";
import { OPT_OUT_KEY } from "#testing/import-lines.ts";
import { person } from "#testing/people.ts";

/** What a writer knows about its person: the last acknowledged version, and the last one that was sent. */
type Written = { acknowledged: number; sent: number };

type Writes = {
  acknowledged: number;
  unknown: number;
  longest_gap_ms: number;
};

export type Writers = {
  take: () => Writes;
  /** Lists what was lost: an older version than the last acknowledged one, a hidden or erased person who is stored as before. */
  findLost: (database: Database) => Promise<string[]>;
  versions: ReadonlyMap<number, Written>;
  /** People who were hidden or erased, with the time of the acknowledgement. */
  hidden: ReadonlyMap<number, number>;
  stop: () => Promise<void>;
};

const PAUSE_MS = 100;
const HIDE_EVERY_MS = 1_000;
const isErased = (passportId: number): boolean => passportId % 2 === 0;

/**
 * Writes versions of a few people, and hides or erases others, one at a time each. The outcome of a write that
 * fails is unknown: the person may have either version, and the next write settles it.
 */
export function startWrites(
  database: Database,
  versionedIds: readonly number[],
  hideableIds: readonly number[],
): Writers {
  let writes: Writes = { acknowledged: 0, unknown: 0, longest_gap_ms: 0 };
  let isStopped = false;
  const versions = new Map<number, Written>(versionedIds.map((id) => [id, { acknowledged: 0, sent: 0 }]));
  const hidden = new Map<number, number>();
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
    const written = versions.get(id) as Written;
    while (!isStopped) {
      written.sent += 1;
      const version = written.sent;
      if (await attempt(() => savePeople(database, [person(id, { score: version })]))) {
        written.acknowledged = version;
        lastAt = performance.now();
      }
      await delay(PAUSE_MS);
    }
  };
  const hidePeople = async () => {
    for (const passportId of hideableIds) {
      if (isStopped) return;
      const hide = () =>
        isErased(passportId)
          ? erasePerson(database, passportId, OPT_OUT_KEY)
          : changePerson(database, { action: "hide", passportId });
      while (!isStopped && !(await attempt(hide))) {
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
      const before = new Map([...versions].map(([id, { acknowledged }]) => [id, acknowledged]));
      const hiddenBefore = [...hidden.keys()].filter((id) => !isErased(id));
      const erasedBefore = [...hidden.keys()].filter(isErased);
      const { rows } = await reader.query<{ id: number; score: number; hidden: boolean }>(
        "select passport_id as id, score, hidden from passport where passport_id = any ($1)",
        [[...before.keys(), ...hiddenBefore, ...erasedBefore]],
      );
      const erased = new Set(erasedBefore);
      const stored = rows.filter(({ id }) => !erased.has(id));
      const vanished = before.size + hiddenBefore.length - stored.length;
      if (vanished > 0) return [`${vanished} people are gone`];
      if (stored.length < rows.length) return [`${rows.length - stored.length} erased people are stored again`];
      return rows.flatMap(({ id, score, hidden: isHidden }) => {
        const acknowledged = before.get(id);
        if (acknowledged !== undefined && score < acknowledged)
          return [`passport ${id}: ${score} after ${acknowledged}`];
        return acknowledged === undefined && !isHidden ? [`passport ${id} is shown again`] : [];
      });
    },
    stop: async () => {
      isStopped = true;
      await writing;
    },
  };
}
