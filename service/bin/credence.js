#!/usr/bin/env node
// The executable. Plain JavaScript that old versions of Node can parse as well: they cannot load the program, which is TypeScript,
// and would only report an unknown file extension.

const OLDEST = [24, 12];
const [major, minor] = process.versions.node.split(".").map(Number);

if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) {
  import("../src/main.ts");
} else {
  process.stderr.write(
    `error: credence needs Node ${OLDEST.join(".")} or newer. This is Node ${process.versions.node}, ${process.execPath}.\n` +
      "Install a newer one (https://nodejs.org), or put the folder of a newer one first on PATH.\n",
  );
  process.exitCode = 2;
}
