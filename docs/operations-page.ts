import { readFileSync } from "node:fs";
import { administer, dropDatabase, uniqueName, urlOf } from "../service/testing/server.ts";

const page = readFileSync(new URL("OPERATIONS.md", import.meta.url), "utf8");

/** The commands of docs/OPERATIONS.md, with other names of the database and the roles. */
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
  /** The blocks of the section with this heading, or of the whole page. */
  const blocksOf = (heading?: string): string[] => {
    const start = heading === undefined ? 0 : page.indexOf(`# ${heading}\n`);
    if (start === -1) throw new Error(`docs/OPERATIONS.md has no section "${heading}".`);
    const end = heading === undefined ? -1 : page.slice(start + 2).search(/^#/m);
    const section = end === -1 ? page.slice(start) : page.slice(start, start + 2 + end);
    return [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, block = ""]) => adapt(block.trim()));
  };
  const drop = () =>
    administer(async (admin) => {
      for (const suffix of ["", "_restored", "_before"]) await dropDatabase(admin, name + suffix);
      for (const role of [`${name}_owner`, `${name}_serve`]) await admin.query(`drop role if exists ${role}`);
    });
  return { name, blocksOf, drop };
}
