import assert from "node:assert/strict";
import { join } from "node:path";
import type { Person } from "@credence/contract/person.ts";
import { inventPopulation } from "#demo/invent/population.ts";
import { collectQuickly } from "#testing/collect-quickly.ts";
import { oldServer } from "#testing/old-server.ts";
import { readSnapshotPeople } from "#testing/read-snapshot.ts";
import { withProofFolder } from "./harness.ts";

const CHANGED = 0.02;

/**
 * A first collection, then one per night. Each night the list shows 2 % changed people, and others
 * change in ways that the list does not show. A night needs at most 10 % of the requests of the
 * first run, and after `nights` nights nobody is older than 30 nights.
 */
export function proveNightly(people: number, nights = 31) {
  return withProofFolder(async (folder) => {
    const population = [...inventPopulation(6, people)].filter(({ operator }) => operator === undefined);
    const server = await oldServer(population);
    const ids = population.map(({ passport }) => passport.passport_id);
    const collect = async (night: number): Promise<number> => {
      const before = server.requests();
      const since = night === 0 ? null : join(folder, `${night - 1}`);
      await collectQuickly(server.address, join(folder, `${night}`), { since });
      return server.requests() - before;
    };
    try {
      const first = await collect(0);
      const requests: number[] = [];
      for (let night = 1; night < nights; night += 1) {
        // The list shows the score. It does not show credentials.
        for (const id of pick(ids, CHANGED, night)) server.update(id, withScore(night));
        if (night === 1) for (const id of ids) server.update(id, withoutCredentials);
        requests.push(await collect(night));
      }
      const most = Math.max(...requests);
      assert.ok(most <= first / 10, `${most} of ${first} requests`);
      const collected = await readSnapshotPeople(join(folder, `${nights - 1}`));
      assert.equal(collected.length, server.people.size);
      for (const person of collected) {
        const current = server.people.get(person.passport.passport_id);
        assert.deepEqual(person, current, `passport ${person.passport.passport_id} was missed`);
      }
      return {
        people: population.length,
        nights: requests.length,
        first_requests: first,
        most_requests: most,
        ratio: most / first,
      };
    } finally {
      server.close();
    }
  });
}

/** A share of the ids, another one each night. */
const pick = (ids: readonly number[], share: number, night: number): number[] => {
  const every = Math.round(1 / share);
  return ids.filter((_, index) => (index + night * 7) % every === 0);
};

const withScore =
  (night: number) =>
  (person: Person): Person => ({ ...person, passport: { ...person.passport, score: 1_000 + night } });

const withoutCredentials = (person: Person): Person => ({ ...person, credentials: person.credentials.slice(0, 1) });
