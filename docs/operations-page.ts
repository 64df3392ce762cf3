import { readFileSync } from "node:fs";
import { administer, dropDatabase, uniqueName, urlOf } from "../service/testing/server.ts";

const page = ["reference/by-hand.md", "OPERATING.md"]
  .map((file) => readFileSync(new URL(file, import.meta.url), "utf8"))
  .join("\n");
const MOVE = "Move to another machine";

/** The commands of docs/reference/by-hand.md and docs/OPERATING.md, with other names of the database and the roles. */
export function readOperations() {
  const name = uniqueName();
  const names: Record<string, string> = {
    credence_v1: name,
    credence_owner: `${name}_owner`,
    credence_serve: `${name}_serve`,
  };
  const { host } = new URL(urlOf("postgres"));
  const adapt = (script: string): string => {
    for (const [written, used] of Object.entries(names)) script = script.replaceAll(written, used);
    return script.replaceAll("localhost:5432", host);
  };
  const sectionOf = (heading: string): string => {
    const start = page.indexOf(`# ${heading}\n`);
    if (start === -1) throw new Error(`No page has a section "${heading}".`);
    const end = page.slice(start + 2).search(/^#/m);
    return end === -1 ? page.slice(start) : page.slice(start, start + 2 + end);
  };
  /** The blocks of the section with this heading, or of both pages but the move, which needs another machine. */
  const blocksOf = (heading?: string): string[] => {
    const section = heading === undefined ? page.replace(sectionOf(MOVE), "") : sectionOf(heading);
    return [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, block = ""]) => adapt(block.trim()));
  };
  const drop = () =>
    administer(async (admin) => {
      for (const suffix of ["", "_restored", "_before"]) await dropDatabase(admin, name + suffix);
      for (const role of [`${name}_owner`, `${name}_serve`]) await admin.query(`drop role if exists ${role}`);
    });
  return { name, blocksOf, drop };
}
