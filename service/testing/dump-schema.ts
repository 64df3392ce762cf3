import { execFileSync } from "node:child_process";

/** Returns the schema as SQL, without lines that depend on the version of PostgreSQL. */
export function dumpSchema(databaseUrl: string): string {
  const dump = execFileSync("pg_dump", ["--schema-only", "--no-owner", "--no-privileges", databaseUrl], {
    encoding: "utf8",
  });
  return `${dump
    .split("\n")
    .filter((line) => !/^(--|SET |SELECT pg_catalog\.set_config|\\(un)?restrict)/.test(line))
    .join("\n")
    .replaceAll("public.", "")
    .replace(/\n{3,}/g, "\n\n")
    .trim()}\n`;
}
