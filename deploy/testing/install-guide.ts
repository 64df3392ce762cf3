import { readFileSync } from "node:fs";

const page = readFileSync(new URL("../../docs/INSTALL.md", import.meta.url), "utf8");

export function sectionOf(title: string): string {
  const section = page.split(/^## /m).find((text) => text.startsWith(`${title}\n`));
  if (section === undefined) throw new Error(`docs/INSTALL.md has no section ${title}.`);
  return section;
}

/** The commands of a block `text` of a section, which begins with some words. */
export function commandsBeginning(title: string, words: string): string {
  const blocks = [...sectionOf(title).matchAll(/```text\n(.*?)```/gs)].map(([, block = ""]) => block);
  const found = blocks.find((block) => block.startsWith(words));
  if (found === undefined) throw new Error(`No block of the section ${title} begins with ${words}.`);
  return found;
}

/** The commands of a section, as one shell script. */
export const commandsOf = (title: string): string =>
  [...sectionOf(title).matchAll(/```sh\n(.*?)```/gs)].map(([, block = ""]) => block).join("");
