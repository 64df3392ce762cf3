import { execFileSync } from "node:child_process";

/** The schema of a database as SQL, without what differs from one server or dump program to the next. */
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
