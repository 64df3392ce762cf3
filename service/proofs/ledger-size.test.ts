import { expect, test } from "vitest";
import { scaled } from "#testing/scale.ts";
import { proveLedgerSize } from "./ledger-size.ts";

test("ledger-size", { timeout: 600_000 }, async () => {
  const people = scaled(20_000, 500);
  const proven = await proveLedgerSize(people);
  expect(proven.decisions).toBe((people / 10) * 1.2);
  expect(proven.united).toMatchObject({ added: proven.decisions, hidden: (people * 3) / 50, erased: people / 50 });
});
