import fc from "fast-check";
import { parseFragment, type DefaultTreeAdapterTypes as Tree } from "parse5";
import { describe, expect, test } from "vitest";
import { html, link, type Safe, type Value } from "./html.ts";

/** What is left of a text once it is sent as UTF-8 HTML, which can hold neither NUL nor half of a surrogate pair. */
const sendable = (text: string): string => text.replaceAll("\0", "\uFFFD").toWellFormed();
/** The one element of a fragment, after a round trip through bytes. */
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
  test("any string parses back as the same text", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const children = parse(html`<p>${text}</p>`).childNodes as Tree.TextNode[];
        expect(children.map(({ value }) => value)).toEqual(text === "" ? [] : [sendable(text)]);
      }),
      { numRuns: 1_000 },
    );
  });

  test("any string parses back as the same attribute", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(parse(html`<p title="${text}"></p>`).attrs).toEqual([{ name: "title", value: sendable(text) }]);
      }),
      { numRuns: 1_000 },
    );
  });

  test("markup is escaped once, also when it is nested", () => {
    const name = html`<b>${"<i>&amp;"}</b>`;
    expect(`${html`<p>${name}</p>`}`).toBe("<p><b>&lt;i&gt;&amp;amp;</b></p>");
  });
});

describe("values", () => {
  test("numbers are printed, 0 too; false, null and undefined print nothing", () => {
    expect(`${html`${0} ${1.5} ${false}${null}${undefined}.`}`).toBe("0 1.5 .");
  });

  test("an array of markup is joined without a separator", () => {
    expect(`${html`<ul>${["a", "<"].map((item) => html`<li>${item}</li>`)}</ul>`}`).toBe(
      "<ul><li>a</li><li>&lt;</li></ul>",
    );
  });

  test("what the types refuse is not printed as markup either", () => {
    expect(() => html`${{ toString: () => "<b>" } as unknown as Safe}`).toThrow();
    expect(`${html`${["<b>"] as unknown as Safe[]}`}`).toBe("&lt;b&gt;");
  });
});

describe("addresses", () => {
  test.each([
    "/",
    "/prefix/docs",
    "#errors",
    "?page=2",
    "./a",
    "../a",
    "https://v1.example/a?b=c&d",
    "HTTP://v1.example",
  ])("%s is allowed", (address) => {
    expect(parse(html`<a href="${link(address)}">x</a>`).attrs).toEqual([{ name: "href", value: address }]);
  });

  test.each([
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    " javascript:alert(1)",
    "java\nscript:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "mailto:a@b.example",
    "//other.example",
    "/\\other.example",
    "\\\\other.example",
    "/\t/other.example",
    "https:other",
    "docs",
    "",
  ])("%j is refused", (address) => {
    expect(() => link(address)).toThrow("address");
  });

  test("whatever is allowed leads to http or https", () => {
    const base = "https://base.example/docs";
    const oddText = fc.string({
      unit: fc.constantFrom("/", "\\", ":", "a", ".", "?", "#", "\t", "\n", "javascript:", "https:", "\u0001", " "),
    });
    fc.assert(
      fc.property(oddText, (address) => {
        try {
          link(address);
        } catch {
          return;
        }
        const resolved = URL.parse(address, base);
        if (resolved === null) return;
        expect(["http:", "https:"]).toContain(resolved.protocol);
        if (!/^https?:/i.test(address)) expect(resolved.origin).toBe("https://base.example");
      }),
      { numRuns: 5_000 },
    );
  });

  test.each<[string, (value: Value) => Safe]>([
    ["href", (value) => html`<a href="${value}">x</a>`],
    ["src", (value) => html`<img src="${value}" alt="">`],
    ["action", (value) => html`<form action="${value}"></form>`],
  ])("%s takes nothing but a link", (_, template) => {
    for (const value of ["/docs", "https://a.example", html`/docs`, 1, null])
      expect(() => template(value)).toThrow("link()");
    expect(`${template(link("/docs?a&b"))}`).toContain('"/docs?a&amp;b"');
  });

  test("an attribute without quotes is refused", () => {
    expect(() => html`<p title=${"x"}></p>`).toThrow("quotes");
  });
});
