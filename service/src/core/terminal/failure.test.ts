import { expect, test } from "vitest";
import { explain } from "./failure.ts";

const adviceOf = (message: string) => explain(new Error(message)).advice;

test("a server that accepts connections and is silent, and one that closes them, lead to the address", () => {
  // The driver's words. A test with such a server would take its timeout of ten seconds.
  expect(adviceOf("Connection terminated due to connection timeout")).toMatch(
    /^No PostgreSQL server answered in time. Check the host and the port/,
  );
  expect(adviceOf("Connection terminated unexpectedly")).toMatch(/If this repeats, check the address/);
  expect(adviceOf("terminating connection due to administrator command")).toMatch(/Committed changes are kept/);
});

test("a missing right is a wrong configuration, and the serving role is never to own anything", () => {
  const denied = Object.assign(new Error("permission denied for schema public"), { code: "42501" });
  expect(explain(denied)).toMatchObject({
    exitCode: 2,
    advice: expect.stringMatching(/^Run the command with the role that owns the tables/),
  });
});

test.each([
  ["SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string", "requires a password"],
  ["received invalid response: 5b", "is not PostgreSQL"],
  ["Received unexpected copyData message from backend.", "is not PostgreSQL"],
])("says what the driver means by %s", (words, meaning) => {
  expect(explain(new Error(words)).message).toContain(meaning);
});
