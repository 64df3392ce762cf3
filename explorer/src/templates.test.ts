import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { faultsOf, templatesOf } from "../testing/templates.ts";

const sources = globSync("**/*.ts", { cwd: import.meta.dirname })
  .filter((name) => !name.endsWith(".test.ts"))
  .map((name) => ({ name, source: readFileSync(new URL(name, import.meta.url), "utf8") }));
const templates = sources.flatMap(({ name, source }) => templatesOf(source).map((template) => ({ name, template })));

// biome-ignore lint/suspicious/noTemplateCurlyInString: this is source text.
const NESTED = 'html`<p>${a && html`<b title="${`}`}">${"`"}</b>`}</p>` + other`x=1`';

test("templatesOf finds all templates, including nested ones", () => {
  expect(templates.length).toBeGreaterThan(30);
  expect(templatesOf(NESTED)).toEqual(["<p>…</p>", '<b title="…">…</b>']);
});

test.each([
  ["<p title=…>", "an attribute without double quotes"],
  ["<p title=plain>", "an attribute without double quotes"],
  ["<p title='…'>", "an attribute without double quotes"],
  ['<a href="/docs/…">', "a URL that is not the result of link()"],
  ['<a href="……">', "a URL that is not the result of link()"],
  ['<img src="a.png">', "a URL that is not the result of link()"],
  ['<p style="…">', "an inline style"],
  ["<SCRIPT>", "an inline script or a style element"],
  ['<script src="…" defer>alert(1)</script>', "an inline script or a style element"],
  ['<p onclick="…">', "an event handler"],
])("faultsOf finds a fault in %s", (template, fault) => {
  expect(faultsOf(template)).toContain(fault);
});

test("no template of the source has a fault", () => {
  for (const { name, template } of templates) expect(faultsOf(template), `${name}: ${template}`).toEqual([]);
});

test("only the html tag creates markup", () => {
  for (const { name, source } of sources)
    if (name !== "html.ts") expect(source, name).not.toMatch(/fromTemplate|new Safe|as Safe|as unknown as Link/);
});
