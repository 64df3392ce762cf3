import fc from "fast-check";
import { parseFragment, type DefaultTreeAdapterTypes as Tree } from "parse5";
import { describe, expect, test } from "vitest";
import { html, link, type Safe, type Value } from "./html.ts";

/** The text as UTF-8 HTML can carry it: without NUL and unpaired surrogates. */
const sendable = (text: string): string => text.replaceAll("\0", "\uFFFD").toWellFormed();
/** The only element of a fragment, after a round trip through bytes. */
function parse(markup: Safe): Tree.Element {
  const nodes = parseFragment(Buffer.from(markup.toString()).toString()).childNodes;
  expect(nodes).toHaveLength(1);
  return nodes[0] as Tree.Element;
}
const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({
    unit: fc.constantFrom("<", ">", "&", '"', "'", "\r", "\n", "\0", "\ud800", ";", "a", "&amp;", "<!--", "</p>"),
  }),
);

describe("escaping", () => {
  test("preserves any string as text", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const children = parse(html`<p>${text}</p>`).childNodes as Tree.TextNode[];
        expect(children.map(({ value }) => value)).toEqual(text === "" ? [] : [sendable(text)]);
      }),
      { numRuns: 1_000 },
    );
  });

  test("preserves any string as an attribute", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(parse(html`<p title="${text}"></p>`).attrs).toEqual([{ name: "title", value: sendable(text) }]);
      }),
      { numRuns: 1_000 },
    );
  });

  test("escapes nested markup once", () => {
    const name = html`<b>${"<i>&amp;"}</b>`;
    expect(`${html`<p>${name}</p>`}`).toBe("<p><b>&lt;i&gt;&amp;amp;</b></p>");
  });
});

describe("values", () => {
  test("prints numbers including 0, and nothing for false, null and undefined", () => {
    expect(`${html`${0} ${1.5} ${false}${null}${undefined}.`}`).toBe("0 1.5 .");
  });

  test("joins an array of markup without a separator", () => {
    expect(`${html`<ul>${["a", "<"].map((item) => html`<li>${item}</li>`)}</ul>`}`).toBe(
      "<ul><li>a</li><li>&lt;</li></ul>",
    );
  });

  test("does not print values of a wrong type as markup", () => {
    expect(() => html`${{ toString: () => "<b>" } as unknown as Safe}`).toThrow();
    expect(`${html`${["<b>"] as unknown as Safe[]}`}`).toBe("&lt;b&gt;");
  });
});

describe("URLs", () => {
  test.each([
    "/",
    "/prefix/docs",
    "#errors",
    "?page=2",
    "./a",
    "../a",
    "https://v1.example/a?b=c&d",
    "HTTP://v1.example",
  ])("allows %s", (url) => {
    expect(parse(html`<a href="${link(url)}">x</a>`).attrs).toEqual([{ name: "href", value: url }]);
  });

  test.each([
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    " javascript:alert(1)",
    "java\nscript:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "mailto:a b@c.example",
    "mailto:javascript",
    "//other.example",
    "/\\other.example",
    "\\\\other.example",
    "/\t/other.example",
    "https:other",
    "docs",
    "",
  ])("rejects %j", (url) => {
    expect(() => link(url)).toThrow("URL");
  });

  test("allows only URLs that resolve to http or https", () => {
    const base = "https://base.example/docs";
    const oddText = fc.string({
      unit: fc.constantFrom("/", "\\", ":", "a", ".", "?", "#", "\t", "\n", "javascript:", "https:", "\u0001", " "),
    });
    fc.assert(
      fc.property(oddText, (url) => {
        try {
          link(url);
        } catch {
          return;
        }
        const resolved = URL.parse(url, base);
        if (resolved === null) return;
        expect(["http:", "https:"]).toContain(resolved.protocol);
        if (!/^https?:/i.test(url)) expect(resolved.origin).toBe("https://base.example");
      }),
      { numRuns: 5_000 },
    );
  });

  test.each<[string, (value: Value) => Safe]>([
    ["href", (value) => html`<a href="${value}">x</a>`],
    ["src", (value) => html`<img src="${value}" alt="">`],
    ["action", (value) => html`<form action="${value}"></form>`],
  ])("%s accepts only the result of link()", (_, template) => {
    for (const value of ["/docs", "https://a.example", html`/docs`, 1, null])
      expect(() => template(value)).toThrow("link()");
    expect(`${template(link("/docs?a&b"))}`).toContain('"/docs?a&amp;b"');
  });

  test("rejects an attribute without quotes", () => {
    expect(() => html`<p title=${"x"}></p>`).toThrow("quotes");
  });
});
