#!/usr/bin/env node
// The executable. It is JavaScript that old versions of Node can parse, so that they print a useful
// message. `imports` in package.json maps #main.ts to the source, in a published package to the
// compiled program.

const MIN_VERSION = [24, 12];
const [major, minor] = process.versions.node.split(".").map(Number);

if (major > MIN_VERSION[0] || (major === MIN_VERSION[0] && minor >= MIN_VERSION[1])) {
  import("#main.ts");
} else {
  process.stderr.write(
    `error: credence-conformance needs Node ${MIN_VERSION.join(".")} or newer. This is Node ${process.versions.node}, ${process.execPath}.\n` +
      "Install a newer version (https://nodejs.org), or put its folder first on PATH.\n",
  );
  process.exitCode = 2;
}
