import { singlePassportAnswer } from "@credence/contract/answer-bytes.ts";
import type { Person } from "@credence/contract/person.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { listLines } from "#people/facts/people.ts";
import { lineOf, parseLine, presentPerson } from "#people/line.ts";
import { savePeople } from "#people/write/save-people.ts";
import { anyPerson } from "#testing/arbitrary-person.ts";
import { testDatabase } from "#testing/database.ts";
import { inV1Order, presentCredentials } from "./credentials.ts";
import { presentPassport } from "./passport.ts";

/** A person's facts, with the credentials in the order of documents. */
const inOrder = ({ passport, credentials }: Person) => ({ passport, credentials: credentials.toSorted(inV1Order) });

const present = ({ passport, credentials }: Person) => {
  const { body, tail, etag } = presentPassport(passport);
  const presented = presentCredentials(credentials);
  return { single: singlePassportAnswer(body, tail), credentials: presented.body, etags: [etag, presented.etag] };
};

test("the two documents of a person contain all of their facts", () => {
  fc.assert(
    fc.property(anyPerson(7), (person) => {
      const { single, credentials } = present(person);
      const read = {
        passport: JSON.parse(single).passport,
        credentials: JSON.parse(credentials).passport_credentials,
      };
      expect(read).toEqual(inOrder(person));
    }),
    { numRuns: 1_000 },
  );
});

test("two people have equal ETags only if their facts are equal", () => {
  fc.assert(
    fc.property(anyPerson(7), anyPerson(7), fc.boolean(), (a, drawn, samePassport) => {
      // Half of the pairs differ in their credentials only.
      const b = samePassport ? { passport: a.passport, credentials: drawn.credentials } : drawn;
      const areEqual = JSON.stringify(present(a).etags) === JSON.stringify(present(b).etags);
      expect(areEqual).toBe(fc.stringify(inOrder(a)) === fc.stringify(inOrder(b)));
    }),
    { numRuns: 1_000 },
  );
});

test("a line in canonical form is its own canonical form, and contains all facts", () => {
  fc.assert(
    fc.property(anyPerson(7), (person) => {
      const line = lineOf(presentPerson(person));
      expect(parseLine(line)).toEqual(inOrder(person));
      expect(lineOf(presentPerson(parseLine(line)))).toBe(line);
    }),
    { numRuns: 1_000 },
  );
});

test("a stored person is equal to the saved person", async () => {
  const { database } = await testDatabase();
  let id = 0;
  await fc.assert(
    fc.asyncProperty(anyPerson(1), async (drawn) => {
      id += 1;
      const person = { ...drawn, passport: { ...drawn.passport, passport_id: id } };
      await savePeople(database, [person]);
      const [stored] = await listLines(database, [id]);
      expect(parseLine(stored?.line ?? "")).toEqual(inOrder(person));
    }),
    { numRuns: 50 },
  );
});
