#!/usr/bin/env node
// The executable. It is JavaScript that old versions of Node can parse, so that they print a useful
// message. `imports` in package.json maps #main.ts to the source, in a published package to the
// compiled program.

const [major, minor] = process.versions.node.split(".").map(Number);

if (major > 24 || (major === 24 && minor >= 12) || (major === 22 && minor >= 18)) {
  import("#main.ts");
} else {
  process.stderr.write(
    `error: credence-conformance needs Node 22 (22.18 or newer), or 24.12 or newer. This is Node ${process.versions.node}, ${process.execPath}.\n` +
      "Install Node 24 (https://nodejs.org), or put its folder first on PATH.\n",
  );
  process.exitCode = 2;
}
