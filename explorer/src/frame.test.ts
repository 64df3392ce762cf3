import { describe, expect, test } from "vitest";
import { linksFor } from "../testing/links.ts";
import { elementsOf, textOf } from "../testing/parse-page.ts";
import { SETTINGS } from "../testing/settings.ts";
import { deprecationStrip, frameAt, type V1State } from "./frame.ts";

const at = (text: string) => new Date(text);
const ACTIVE: V1State = { state: "active", from: null, until: null };
const stripOf = (state: V1State, settings = SETTINGS) =>
  textOf(elementsOf(deprecationStrip(frameAt(settings, linksFor("/prefix"), state)).toString())[0] as never)
    .replaceAll(/\s+/g, " ")
    .trim();

describe("the strip", () => {
  test("says one thing in each state", () => {
    expect(stripOf(ACTIVE, { ...SETTINGS, sunsetAt: null })).toBe(
      "V1 is deprecated. Its data may be out of date. Details",
    );
    expect(stripOf({ ...ACTIVE, state: "announced" })).toBe(
      "V1 is deprecated and ends on 30 Jun 2027, 12:00 UTC. Details",
    );
    const brownout = { from: at("2027-04-01T15:00Z"), until: at("2027-04-01T15:05Z"), state: "brownout" } as const;
    expect(stripOf(brownout)).toBe("The API is off until 15:05 UTC. These pages go on working. Details");
    expect(stripOf({ ...brownout, from: at("2027-03-31T23:00Z") })).toBe(
      "The API is off until 1 Apr 2027, 15:05 UTC. These pages go on working. Details",
    );
    expect(stripOf({ ...ACTIVE, state: "gone" })).toBe("V1 ended on 30 Jun 2027, 12:00 UTC. Details");
  });

  test("after the end, no page links to pages about people", () => {
    expect(frameAt(SETTINGS, linksFor("/prefix"), ACTIVE).links.people).not.toBeNull();
    expect(frameAt(SETTINGS, linksFor("/prefix"), { ...ACTIVE, state: "gone" }).links.people).toBeNull();
  });
});
