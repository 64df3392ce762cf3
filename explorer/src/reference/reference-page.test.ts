import { describe, expect, test } from "vitest";
import { linksFor } from "../../testing/links.ts";
import { attribute, type Element, elementsOf, textOf } from "../../testing/parse-page.ts";
import { FRAME } from "../../testing/people.ts";
import { SETTINGS } from "../../testing/settings.ts";
import type { Settings } from "../settings.ts";
import { OPENAPI } from "./openapi.ts";
import { describeApi } from "./reference.ts";
import { referencePage } from "./reference-page.ts";

function render(changes: Partial<Settings> = {}, basePath = "/prefix") {
  const settings = { ...SETTINGS, ...changes };
  const frame = { ...FRAME, settings, links: linksFor(basePath) };
  const markup = referencePage(describeApi(OPENAPI, settings), frame).toString();
  const elements = elementsOf(markup);
  return { markup, elements, text: textOf(elements[0] as Element) };
}

const { markup, elements, text } = render();
const named = (name: string) => elements.filter((element) => element.tagName === name);
/** The table rows, with the text of their first cell. */
const rows = named("tr").map((row) => ({ head: textOf(row.childNodes[0] as Element), text: textOf(row) }));
const plain = (description: string) => description.replaceAll("`", "");
/** The errors whose bodies are on the page. All are in docs.md. */
const SHOWN: Record<string, string> = {
  "401": "unauthorized",
  "404": "not_found",
  "410": "brownout",
  "429": "rate_limited",
  "503": "unavailable",
};
const { schemas, headers, responses } = OPENAPI.components;

describe("the page shows all of openapi.json", () => {
  const operations = Object.entries(OPENAPI.paths);

  test.each(operations)("%s with parameters and examples", (path, { get }) => {
    expect(text).toContain(path);
    expect(text).toContain(get.summary);
    for (const { name, description } of get.parameters) {
      const row = rows.find(({ head, text }) => head === name && text.includes(plain(description)));
      expect(row?.text, name).toMatch(/Range: .*Examples?: /);
    }
    const url = `https://v1.example/prefix${path.replace("{id}", "1")}`;
    expect(markup.replaceAll("&#39;", "'")).toContain(`curl -s '${url}`);
    expect(text).toContain(`fetch("${url}`);
    expect(text).toContain(`request = "${url}`);
  });

  test.each(Object.entries(schemas))("every field of %s with meaning, range and example", (_, { properties }) => {
    for (const [name, { description, $ref, items }] of Object.entries(properties ?? {})) {
      const row = rows.find(({ head, text }) => head === name && text.includes(plain(description ?? "")));
      const hasObjects = $ref !== undefined || items?.$ref !== undefined;
      // An object links to the table of its fields. `passport` is only the envelope of a response.
      if (name !== "passport") expect(row?.text, name).toMatch(hasObjects ? /Fields: / : /Range: .*Examples?: /);
    }
  });

  test.each(Object.entries(headers))("header %s", (name, { description, example }) => {
    const row = rows.find(({ head }) => head === name);
    expect(row?.text).toContain(plain(description));
    const isEnd = name === "Sunset";
    expect(row?.text).toContain(`Example: ${isEnd ? SETTINGS.sunsetAt?.toUTCString() : example}`);
    if (isEnd) expect(render({ sunsetAt: null }).text).toContain(`Example: ${example}`);
  });

  test.each(Object.entries(responses))("error %s", (status, { content }) => {
    for (const [code, { description, value }] of Object.entries(content?.["application/json"].examples ?? {})) {
      const row = rows.find(({ head, text }) => head === status && text.includes(code));
      expect(row?.text).toContain(plain(description));
      if (status in SHOWN && SHOWN[status] === code) expect(text).toContain(`"error": ${JSON.stringify(value.error)}`);
    }
  });

  test("the statuses of every header", () => {
    const rowOf = (name: string) => rows.find(({ head }) => head === name)?.text;
    expect(rowOf("Deprecation")).toContain("every response");
    expect(rowOf("ETag")).toContain("200, 304");
    expect(rowOf("Retry-After")).toContain("410, 429, 503");
  });
});

describe("the page", () => {
  test("has unique ids and a target for every reference to an id", () => {
    const ids = elements.map((element) => attribute(element, "id")).filter((id) => id !== null);
    expect(new Set(ids).size).toBe(ids.length);
    const anchors = named("a").map((element) => attribute(element, "href") ?? "");
    const labels = elements.map((element) => attribute(element, "aria-labelledby")).filter((id) => id !== null);
    for (const id of [...anchors.filter((href) => href.startsWith("#")).map((href) => href.slice(1)), ...labels])
      expect(ids).toContain(id);
  });

  test("has no inline scripts or styles, and no files of other origins", () => {
    expect(named("script").map((element) => attribute(element, "src"))).toEqual(["/prefix/assets/explorer.0.js"]);
    expect(named("style")).toEqual([]);
    for (const element of elements) for (const { name } of element.attrs) expect(name).not.toMatch(/^(?:style|on.*)$/);
    const loaded = named("link").map((element) => attribute(element, "href"));
    expect(loaded).toEqual(["/prefix/assets/explorer.0.css", "/prefix/assets/icon.0.svg", "/prefix/docs.md"]);
  });

  test("has one h1 and skips no heading level", () => {
    const levels = elements.filter(({ tagName }) => /^h[1-6]$/.test(tagName)).map(({ tagName }) => Number(tagName[1]));
    expect(levels.filter((level) => level === 1)).toHaveLength(1);
    for (const [index, level] of levels.entries()) expect(level).toBeLessThanOrEqual((levels[index - 1] ?? 0) + 1);
  });

  test("links to existing pages, with the path of the public URL", () => {
    const pages = named("a")
      .map((element) => attribute(element, "href") ?? "")
      .filter((href) => !href.startsWith("#"));
    expect(new Set(pages)).toEqual(
      new Set([
        ...["/prefix/docs", "/prefix/openapi.json", "/prefix/docs.md", "/prefix/llms.txt", "/prefix/deprecation"],
        ...["/prefix/", "/prefix/leaderboard", "/prefix/about", "/prefix/holder"],
        ...["passports?keyword=ada&page=1&per_page=10", "passports/1", "passport_credentials?passport_id=1"].map(
          (path) => `https://v1.example/prefix/api/v1/${path}`,
        ),
      ]),
    );
    expect(render({ successorUrl: null }, "").markup).toContain('href="/docs"');
  });
});

describe("the page shows the configuration", () => {
  test("the end of V1", () => {
    expect(text).toContain("V1 is deprecated and ends on 30 Jun 2027, 12:00 UTC.");
    expect(render({ sunsetAt: null }).text).toContain("V1 is deprecated. Its data may be out of date.");
  });

  test("after the end, nothing invites, and the example is the 410", () => {
    const frame = { ...FRAME, hasEnded: true };
    const page = referencePage(describeApi(OPENAPI, SETTINGS), frame).toString();
    expect(page).toContain("Every request gets 410 since");
    expect(page).not.toMatch(/Open the real response|Three addresses|brownout<\/span>/);
    expect(page).toMatch(/checked><label for="get-passport-response-1">410<\/label>/);
    expect(page).toContain("200, until the end");
  });

  test("tabs have one choice each, and a body with the headers of its error", () => {
    const groups = Map.groupBy(
      named("input").filter((input) => attribute(input, "type") === "radio"),
      (input) => attribute(input, "name"),
    );
    expect(groups.size).toBe(7);
    for (const inputs of groups.values())
      expect(inputs.filter((input) => attribute(input, "checked") !== null)).toHaveLength(1);
    expect(text).toContain('Retry-After: 2\n{\n  "error": "Too many requests.');
  });

  test("whether a key is needed", () => {
    expect(text).toContain("No key is needed.");
    expect(render({ authMode: "open" }).text).toContain("An unknown key counts as no key.");
    const required = render({ authMode: "required" });
    expect(required.text).toContain("Every request needs a key");
    expect(text).toContain("all JSON, no key needed.");
    expect(required.text).toContain("all JSON, with a key.");
    expect(required.text).not.toContain("Open the real response");
    expect(required.text).toContain("curl -s -H 'X-API-KEY: YOUR_KEY' 'https://v1.example/prefix/api/v1/passports?");
    expect(required.text).toContain('headers={"X-API-KEY": "YOUR_KEY"}');
  });

  test("a public URL with a quote, encoded in the shell command", () => {
    const { text } = render({ publicUrl: "https://v1.example/it's;reboot" });
    expect(text).toContain("curl -s 'https://v1.example/it%27s;reboot/api/v1/passports/1'");
  });
});
