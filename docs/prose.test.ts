import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { listIdentifiers } from "./identifiers.ts";

const MAX_PROSE_COLUMNS = 100;

/** Phrases that need decoding, in two parts so that this file does not contain them. */
const PHRASES = [
  ["the engine would", "learn"],
  ["if answers themselves", "were kept"],
  ["put the others", "there too"],
  ["looks everybody", "up once"],
  ["push out", "those who"],
  ["to trace each one", "takes time"],
  ["held as", "given"],
  ["wallets that lead", "to somebody"],
  ["that are read by,", "by pool"],
  ["wants", "mending"],
].map((parts) => parts.join(" "));

const NAMES = new Set("held given alone told own one reached Ear onDeaf Bell RowPress".split(" "));
/** These words are not allowed as a part of a name either, such as in `heldState`. */
const WORDS = new Set(["held", "given", "alone", "told", "deaf"]);
const wordsOf = (name: string): string[] => name.split(/_|(?<=[a-z0-9])(?=[A-Z])/).map((word) => word.toLowerCase());
const isRejected = (name: string): boolean => NAMES.has(name) || wordsOf(name).some((word) => WORDS.has(word));

const root = new URL("../", import.meta.url);
const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: root,
  encoding: "utf8",
})
  .split("\n")
  .filter((file) => file !== "" && existsSync(new URL(file, root)));
const read = (file: string): string => readFileSync(new URL(file, root), "utf8");

/** Lines of Markdown outside tables and code blocks. */
function listProse(text: string): { line: string; number: number }[] {
  let isCode = false;
  return text.split("\n").flatMap((line, index) => {
    const isFence = line.trimStart().startsWith("```");
    if (isFence) isCode = !isCode;
    return isCode || isFence || line.trimStart().startsWith("|") ? [] : [{ line, number: index + 1 }];
  });
}

test("prose of Markdown files wraps at 100 characters", () => {
  const markdown = files.filter((file) => file.endsWith(".md"));
  expect(markdown.length).toBeGreaterThan(15);
  const long = markdown.flatMap((file) =>
    listProse(read(file))
      .filter(({ line }) => [...line].length > MAX_PROSE_COLUMNS)
      .map(({ number }) => `${file}:${number}`),
  );
  expect(long).toEqual([]);
});

test("no file contains a phrase that needs decoding", () => {
  const found = files.flatMap((file) => {
    // A phrase may be wrapped, in a comment too.
    const text = read(file).replaceAll(/\s+(?:(?:\/\/|\*|#|--)\s+)?/g, " ");
    return PHRASES.filter((phrase) => text.toLowerCase().includes(phrase)).map((phrase) => `${file}: ${phrase}`);
  });
  expect(found).toEqual([]);
});

test("no identifier is a word that needs decoding", () => {
  const sources = files.filter((file) => /\.[jt]s$/.test(file));
  const found = sources.flatMap((file) =>
    listIdentifiers(read(file))
      .filter(({ name }) => isRejected(name))
      .map(({ name, line }) => `${file}:${line} ${name}`),
  );
  expect(found).toEqual([]);
});

test("every source file can be split into identifiers", () => {
  const sources = files.filter((file) => /\.[jt]s$/.test(file));
  expect(sources.length).toBeGreaterThan(300);
  for (const file of sources) expect(() => listIdentifiers(read(file)), file).not.toThrow();
});

test.each([
  ["const held = 1;", ["const", "held"]],
  ["// held\n/* given */ a", ["a"]],
  ["'held' + \"told\" + b", ["b"]],
  [`\`held \${own} told \${{ a: \`\${b}\` }} alone\` + c`, ["own", "a", "b", "c"]],
  ["x.replace(/held[/'\"]/g, y) / told / z", ["x", "replace", "y", "told", "z"]],
  ["return /`held/.test(a)", ["return", "test", "a"]],
  ["a / b / c; (d) / e", ["a", "b", "c", "d", "e"]],
  ["this.#held", ["this", "held"]],
])("the identifiers of %s", (source, names) => {
  expect(listIdentifiers(source).map(({ name }) => name)).toEqual(names);
});

test.each([
  ["held", true],
  ["heldState", true],
  ["GIVEN_PEOPLE", true],
  ["Told", true],
  ["one", true],
  ["oneOf", false],
  ["owner", false],
  ["stored", false],
])("%s is rejected: %s", (name, expected) => {
  expect(isRejected(name)).toBe(expected);
});
