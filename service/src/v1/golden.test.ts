import { readFileSync } from "node:fs";
import type { Person } from "@credence/contract/person.ts";
import { describe, expect, test } from "vitest";
import { refreshStanding } from "#list/manage/refresh-standing.ts";
import { savePeople } from "#people/write/save-people.ts";
import { C_LOCALE, freshDatabase } from "#testing/database.ts";
import { hide } from "#testing/decide.ts";
import { serveDatabase, serving } from "#testing/serving.ts";

type Request = { name: string; path: string; status: number; etag: string | null };

describe("golden answers in contract/golden", async () => {
  const golden = (file: string): Buffer => readFileSync(new URL(`../../../contract/golden/${file}`, import.meta.url));
  const people: Person[] = JSON.parse(golden("people.json").toString());
  const requests: Request[] = JSON.parse(golden("requests.json").toString());
  const hidden: number[] = JSON.parse(golden("hidden.json").toString());
  const first = await serving(people);
  await hide(first.database, hidden);
  await refreshStanding(first.database);
  // The same people in another order, saved one by one after the decision, in a database with another locale.
  const other = await freshDatabase(C_LOCALE);
  await hide(other.database, hidden);
  for (const person of people.toReversed()) await savePeople(other.database, [person]);
  await refreshStanding(other.database);
  const second = await serveDatabase(other.name);

  test.each(requests)("$path", async ({ name, path, status, etag }) => {
    for (const { address } of [first, second]) {
      const response = await fetch(address + path);
      expect(response.status).toBe(status);
      expect(response.headers.get("etag")).toBe(etag);
      // Compare the text first, as its differences are readable.
      const bytes = Buffer.from(await response.arrayBuffer());
      expect(bytes.toString()).toBe(golden(`${name}.json`).toString());
      expect(bytes.equals(golden(`${name}.json`))).toBe(true);
    }
  });
});
