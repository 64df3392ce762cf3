import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const MAX_PROSE_COLUMNS = 100;

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

test("every page of docs that a program or a file of deploy names exists, and has not moved", () => {
  const named = files
    .filter((file) => !file.endsWith(".md") && file !== "docs/docs.test.ts")
    .flatMap((file) => [...read(file).matchAll(/\bdocs\/[\w/-]+\.md\b/g)].map(([page]) => ({ file, page })));
  expect(named.length).toBeGreaterThan(50);
  const isThere = (page: string) => existsSync(new URL(page, root)) && !read(page).includes("\nThis page moved.\n");
  expect(named.filter(({ page }) => !isThere(page))).toEqual([]);
});
