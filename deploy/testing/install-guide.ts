import { globSync, readFileSync } from "node:fs";

const docs = new URL("../../docs/", import.meta.url);
const sections = ["PRODUCTION.md", "OPERATING.md", ...globSync("reference/*.md", { cwd: docs })].flatMap((file) =>
  readFileSync(new URL(file, docs), "utf8").split(/^##? /m),
);

/** A section of PRODUCTION.md, OPERATING.md or of a page of the reference. */
function sectionOf(title: string): string {
  const [section, ...others] = sections.filter((text) => text.startsWith(`${title}\n`));
  if (section === undefined || others.length > 0) throw new Error(`Not one section of docs has the title ${title}.`);
  return section;
}

/** The commands of a block of a section, which begins with some words. */
export function commandsBeginning(title: string, words: string): string {
  const blocks = [...sectionOf(title).matchAll(/```(?:sh|text)\n(.*?)```/gs)].map(([, block = ""]) => block);
  const found = blocks.find((block) => block.startsWith(words));
  if (found === undefined) throw new Error(`No block of the section ${title} begins with ${words}.`);
  return found;
}

/** The commands of a section, as one shell script. */
export const commandsOf = (title: string): string =>
  [...sectionOf(title).matchAll(/```sh\n(.*?)```/gs)].map(([, block = ""]) => block).join("");
