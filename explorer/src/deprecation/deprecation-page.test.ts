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
  const dates = /<table[^>]* dates".*?<\/table>/s.exec(markup)?.[0] ?? "";
  const events = elementsOf(dates)
    .filter((element) => element.tagName === "tr" && element.parentNode?.nodeName === "tbody")
    .map((row) => row.childNodes.map(textOf).join(" | "));
  return { markup, elements, named, events, text: textOf(elements[0] as Element).replaceAll(/\s+/g, " ") };
}

describe("the deprecation page", () => {
  test("announced: lists every date in order", () => {
    const { events, text, markup } = render(ANNOUNCED);
    expect(text).toContain("V1 ends in 226 days");
    expect(markup).toContain('href="/prefix/deprecation.ics"');
    expect(text).toContain("It ends on 30 June 2027, 12:00 UTC. Before that it is switched off 2 times");
    expect(events).toEqual([
      "Deprecated | 31 March 2025 | until the end | ",
      "Brownout 1 | 1 Apr 2027, 15:00 UTC | 15:05 UTC | 5 minutes",
      "Brownout 2 | 23 Jun 2027, 15:00 UTC | 25 Jun 2027, 15:00 UTC | 48 hours",
      "End | 30 June 2027, 12:00 UTC | for good | ",
    ]);
  });

  test("active: says that no end date is set", () => {
    const { text, named, events, markup } = render(ENDLESS);
    expect(text).toContain("No end date is set.");
    expect(text).toContain("No successor is named.");
    expect(events).toEqual(["Deprecated | 31 March 2025 | no end is set | "]);
    expect(markup).not.toContain("deprecation.ics");
    expect(named("svg")).toHaveLength(1);
    expect(text).not.toContain("sunset:");
  });

  test("brownout: says until when V1 is switched off", () => {
    const until = new Date("2027-06-25T15:00:00Z");
    const { text, events } = render({ ...ANNOUNCED, state: "brownout", now: new Date("2027-06-24"), until });
    expect(text).toContain("V1 is switched off for now");
    expect(text).toContain("Every request gets 410 until 25 June 2027, 15:00 UTC.");
    expect(text).not.toContain("Before that it is switched off");
    expect(events[2]).toContain("Brownout 2 (now)");
  });

  test("gone: says since when", () => {
    const { text } = render({ ...ANNOUNCED, state: "gone", now: new Date("2027-07-01"), until: null });
    expect(text).toContain("V1 has ended");
    expect(text).toContain("V1 was switched off on 30 June 2027, 12:00 UTC.");
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
    for (const [index, level] of levels.entries()) expect(level).toBeLessThanOrEqual((levels[index - 1] ?? 0) + 1);
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

test("the calendar file has the outages and the end", () => {
  const text = calendarFile(SETTINGS);
  const events = text.split("BEGIN:VEVENT\r\n").slice(1);
  expect(events[1]).toBe(
    `${[
      ...[
        "UID:brownout-2@v1.example",
        "DTSTAMP:20250331T000000Z",
        "DTSTART:20270623T150000Z",
        "DTEND:20270625T150000Z",
      ],
      ...["SUMMARY:V1 brownout 2 of 2 (48 hours)", "DESCRIPTION:Every V1 request gets 410 with the code brownout."],
      ...["URL:https://v1.example/prefix/deprecation", "END:VEVENT"],
    ].join("\r\n")}\r\n`,
  );
  expect(events[2]).toContain(
    "UID:end@v1.example\r\nDTSTAMP:20250331T000000Z\r\nDTSTART:20270630T120000Z\r\nSUMMARY:V1 ends",
  );
  const long = calendarFile({ ...SETTINGS, publicUrl: `https://v1.example/${"x".repeat(300)}` });
  for (const line of long.split("\r\n")) expect(line.length).toBeLessThanOrEqual(75);
  expect(long.replaceAll("\r\n ", "")).toContain(`URL:https://v1.example/${"x".repeat(300)}/deprecation\r\n`);
});
