import { readFileSync } from "node:fs";

const page = readFileSync(new URL("../../docs/INSTALL.md", import.meta.url), "utf8");

export function sectionOf(title: string): string {
  const section = page.split(/^## /m).find((text) => text.startsWith(`${title}\n`));
  if (section === undefined) throw new Error(`docs/INSTALL.md has no section ${title}.`);
  return section;
}

/** The commands of a section, as one shell script. */
export const commandsOf = (title: string): string =>
  [...sectionOf(title).matchAll(/```sh\n(.*?)```/gs)].map(([, block = ""]) => block).join("");
