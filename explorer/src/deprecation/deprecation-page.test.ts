import { describe, expect, test } from "vitest";
import { linksFor } from "../../testing/links.ts";
import { attribute, type Element, elementsOf, textOf } from "../../testing/parse-page.ts";
import { SETTINGS } from "../../testing/settings.ts";
import { deprecationPage, type Notice } from "./deprecation-page.ts";

const LINKS = linksFor("/prefix");
const ANNOUNCED: Notice = {
  settings: SETTINGS,
  state: "announced",
  now: new Date("2026-11-16T00:00:00Z"),
  from: null,
  until: new Date("2027-04-01T15:00:00Z"),
  headers: { deprecation: "@1743379200", sunset: "Wed, 30 Jun 2027 12:00:00 GMT", link: "<https://d.example/>" },
};
const ENDLESS: Notice = {
  ...ANNOUNCED,
  settings: { ...SETTINGS, sunsetAt: null, brownouts: [], successorUrl: null },
  state: "active",
  until: null,
  headers: { deprecation: "@1743379200", link: "<https://d.example/>" },
};

function render(notice: Notice) {
  const markup = deprecationPage(notice, LINKS).toString();
  const elements = elementsOf(markup);
  const named = (name: string) => elements.filter(({ tagName }) => tagName === name);
  const events = named("li")
    .filter((item) => item.childNodes.some((child) => child.nodeName === "time"))
    .map((item) => item.childNodes.map(textOf).join(" | "));
  return { markup, elements, named, events, text: textOf(elements[0] as Element).replaceAll(/\s+/g, " ") };
}

describe("the deprecation page", () => {
  test("announced: lists every date in order, with today", () => {
    const { events, text } = render(ANNOUNCED);
    expect(text).toContain("V1 is deprecated");
    expect(text).toContain("It ends on 30 June 2027, 12:00 UTC. Before that it is switched off 2 times");
    expect(events.map((event) => event.split(/(?<=of 2|Today|End|Deprecated)/)[0])).toEqual([
      "31 March 2025 | Deprecated",
      "16 November 2026 | Today",
      "1 April 2027 | Brownout 1 of 2",
      "23 June 2027 | Brownout 2 of 2",
      "30 June 2027 | End",
    ]);
    expect(events[1]).toContain("226 days are left.");
    expect(events[2]).toContain("From 15:00 UTC for 5 minutes.");
    expect(events[3]).toContain("From 15:00 UTC for 48 hours, until 25 June 2027, 15:00 UTC.");
    expect(events[4]).toContain("From 12:00 UTC on, every request gets 410 with the code gone.");
  });

  test("active: says that no end date is set", () => {
    const { text, named, events } = render(ENDLESS);
    expect(text).toContain("No end date is set.");
    expect(text).toContain("No successor is named.");
    expect(events).toHaveLength(2);
    expect(named("svg")).toHaveLength(1);
    expect(text).not.toContain("sunset:");
  });

  test("brownout: says until when V1 is switched off", () => {
    const until = new Date("2027-06-25T15:00:00Z");
    const { text, events } = render({ ...ANNOUNCED, state: "brownout", now: new Date("2027-06-24"), until });
    expect(text).toContain("V1 is switched off for now");
    expect(text).toContain("Every request gets 410 until 25 June 2027, 15:00 UTC.");
    expect(text).not.toContain("Before that it is switched off");
    expect(events[3]).toContain("It responds again from 25 June 2027, 15:00 UTC on.");
  });

  test("gone: says since when", () => {
    const { text, events } = render({ ...ANNOUNCED, state: "gone", now: new Date("2027-07-01"), until: null });
    expect(text).toContain("V1 has ended");
    expect(text).toContain("V1 was switched off on 30 June 2027, 12:00 UTC.");
    expect(events.at(-1)).toContain("V1 does not respond any more.");
    expect(text).not.toMatch(/Stop calling V1|Prepare for 410|Try it/);
  });

  test("shows the headers as they are sent, and a command that prints them", () => {
    const { text } = render(ANNOUNCED);
    expect(text).toContain("curl -sI 'https://v1.example/prefix/api/v1/passports' | grep");
    expect(text).toContain("deprecation: @1743379200 sunset: Wed, 30 Jun 2027 12:00:00 GMT link: <https://d.example/>");
  });

  test.each([
    ["active", ENDLESS],
    ["announced", ANNOUNCED],
    ["brownout", { ...ANNOUNCED, state: "brownout" as const }],
    ["gone", { ...ANNOUNCED, state: "gone" as const, now: new Date("2027-07-01") }],
  ])("%s: has no inline scripts or styles and no files of other origins, and headings in order", (_, notice) => {
    const { elements, named } = render(notice);
    expect(named("script").map((element) => attribute(element, "src"))).toEqual(["/prefix/assets/explorer.0.js"]);
    expect(named("style")).toEqual([]);
    for (const element of elements) for (const { name } of element.attrs) expect(name).not.toMatch(/^(?:style|on.*)$/);
    expect(named("link").map((element) => attribute(element, "href"))).toEqual([
      "/prefix/assets/explorer.0.css",
      "/prefix/assets/icon.0.svg",
      "/prefix/deprecation.json",
    ]);
    const levels = elements.filter(({ tagName }) => /^h[1-6]$/.test(tagName)).map(({ tagName }) => Number(tagName[1]));
    expect(levels.filter((level) => level === 1)).toHaveLength(1);
    for (const [at, level] of levels.entries()) expect(level).toBeLessThanOrEqual((levels[at - 1] ?? 0) + 1);
    const current = named("a").filter((element) => attribute(element, "aria-current") === "page");
    expect(current.map(textOf)).toEqual(["Deprecation"]);
  });

  test("draws dates to scale, between the deprecation and the end", () => {
    const { elements } = render(ANNOUNCED);
    const places = elements.filter(({ tagName }) => tagName === "circle").map((circle) => attribute(circle, "cx"));
    expect(places).toEqual(["0%", "100%", "72.43%"]);
    const late = render({ ...ANNOUNCED, now: new Date("2030-01-01"), state: "gone" });
    expect(late.elements.filter(({ tagName }) => tagName === "circle")).toHaveLength(2);
  });
});
