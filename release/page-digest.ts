import { createHash } from "node:crypto";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

// The pictures in docs/pictures show pages. `npm run pictures` stores a digest of the sources of these
// pages beside them, and `npm run release` refuses to build if the sources have changed since.

const DIGEST = "docs/pictures/pages.sha256";

/** What the pages consist of: explorer with its styles and scripts, and the people of the demo. */
const SOURCES = ["explorer/src/**/*.{ts,css,js,svg}", "service/src/demo/invent/**/*.ts"];

function digestPages(root: string): string {
  const files = globSync(SOURCES, { cwd: root, exclude: ["**/*.test.ts"] }).sort();
  const hash = createHash("sha256");
  for (const file of files) hash.update(`${file}\n`).update(readFileSync(join(root, file)));
  return hash.digest("hex");
}

export function writePageDigest(root: string): void {
  writeFileSync(join(root, DIGEST), `${digestPages(root)}\n`);
}

export function arePicturesCurrent(root: string): boolean {
  return readFileSync(join(root, DIGEST), "utf8").trim() === digestPages(root);
}
