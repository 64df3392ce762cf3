import { describe, expect, test } from "vitest";
import { linksFor } from "../../testing/links.ts";
import { attribute, type Element, elementsOf, textOf } from "../../testing/parse-page.ts";
import { SETTINGS } from "../../testing/settings.ts";
import { calendarFile } from "./calendar-file.ts";
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
  const events = elements
    .filter((element) => element.tagName === "li" && attribute(element.parentNode as Element, "class") === "when")
    .map((entry) => `${attribute(entry, "class") ?? ""}: ${entry.childNodes.map(textOf).join(" | ")}`.trim());
  return { markup, elements, named, events, text: textOf(elements[0] as Element).replaceAll(/\s+/g, " ") };
}

describe("the deprecation page", () => {
  test("announced: lists every date in order, with its hour and its distance", () => {
    const { events, text, markup } = render(ANNOUNCED);
    expect(text).toContain("V1 ends in 7 months");
    expect(markup).toContain('href="/prefix/deprecation.ics"');
    expect(text).toContain(
      "On 30 June 2027, 12:00 UTC. Before that it is off twice for 5 minutes to 48 hours, a rehearsal of the end.",
    );
    expect(events).toEqual([
      "past: 31 March 2025 | Deprecated: no new fields, no support | 1 year and 7 months ago",
      "now: 16 November 2026 | Today: V1 responds |",
      ": 1 April 2027, 15:00 UTC | Outage 1 of 2, 5 minutesuntil 15:05 | in 4 months",
      ": 23 June 2027, 15:00 UTC | Outage 2 of 2, 48 hoursuntil 25 June, 15:00 | in 7 months",
      ": 30 June 2027, 12:00 UTC | The end | in 7 months",
    ]);
  });

  test("an end at midnight has its hour, and the last full day", () => {
    const sunsetAt = new Date("2027-12-31T00:00:00Z");
    const { text, events } = render({ ...ANNOUNCED, settings: { ...SETTINGS, sunsetAt } });
    expect(text).toContain("On 31 December 2027, 00:00 UTC. The last full day is 30 December 2027.");
    expect(events.at(-1)).toContain("In America it is still the 30th. | in 1 year and 1 month");
  });

  test("active: says that no end date is set", () => {
    const { text, events, markup } = render(ENDLESS);
    expect(text).toContain("No end date is set.");
    expect(text).toContain("No successor is named.");
    expect(events).toHaveLength(2);
    expect(markup).not.toContain("deprecation.ics");
    expect(text).not.toContain("Sunset@");
  });

  test("brownout: says until when V1 is switched off", () => {
    const until = new Date("2027-06-25T15:00:00Z");
    const now = new Date("2027-06-25T00:20:00Z");
    const { text, events } = render({ ...ANNOUNCED, state: "brownout", now, until });
    expect(text).toContain("Off now. Back in 14 hours and 40 minutes");
    expect(text).toContain("Planned outage until 25 June 2027, 15:00 UTC, a rehearsal of the end.");
    expect(events[1]).toMatch(/^past: .*over$/);
    expect(events[2]).toMatch(/^now: .*now$/);
  });

  test("gone: says since when, and nothing invites", () => {
    const { text, markup } = render({
      ...ANNOUNCED,
      state: "gone",
      now: new Date("2027-07-04T12:00:00Z"),
      until: null,
    });
    expect(text).toContain("It was switched off on 30 June 2027, 12:00 UTC.");
    expect(text).toContain("4 days ago");
    expect(text).not.toMatch(/Stop calling V1|Prepare for 410|Try it|Find out/);
    expect(markup).not.toContain("deprecation.ics");
  });

  test("shows the headers as they are sent, and a command that prints them", () => {
    const { text } = render(ANNOUNCED);
    expect(text).toContain("curl -sI 'https://v1.example/prefix/api/v1/passports' | grep");
    expect(text).toContain("Deprecation@1743379200 (31 March 2025)SunsetWed, 30 Jun 2027 12:00:00 GMTLink<https://d.");
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
    for (const [index, level] of levels.entries()) expect(level).toBeLessThanOrEqual((levels[index - 1] ?? 0) + 1);
    const current = named("a").filter((element) => attribute(element, "aria-current") === "page");
    expect(current.map(textOf)).toEqual(["Deprecation"]);
  });
});

test("the calendar file has the outages and the end", () => {
  const text = calendarFile(SETTINGS);
  const events = text.split("BEGIN:VEVENT\r\n").slice(1);
  expect(events[1]?.replace(/DESCRIPTION:.*\r\n .*\r\n/, "")).toBe(
    `${[
      ...[
        "UID:brownout-2@v1.example",
        "DTSTAMP:20250331T000000Z",
        "DTSTART:20270623T150000Z",
        "DTEND:20270625T150000Z",
      ],
      ...["SUMMARY:V1 of v1.example: outage 2 of 2 (48 hours)"],
      ...["URL:https://v1.example/prefix/deprecation", "END:VEVENT"],
    ].join("\r\n")}\r\n`,
  );
  expect(events[2]).toContain(
    "UID:end@v1.example\r\nDTSTAMP:20250331T000000Z\r\nDTSTART:20270630T120000Z\r\nSUMMARY:V1 of v1.example ends",
  );
  const long = calendarFile({ ...SETTINGS, publicUrl: `https://v1.example/${"x".repeat(300)}` });
  for (const line of long.split("\r\n")) expect(line.length).toBeLessThanOrEqual(75);
  expect(long.replaceAll("\r\n ", "")).toContain(`URL:https://v1.example/${"x".repeat(300)}/deprecation\r\n`);
});
