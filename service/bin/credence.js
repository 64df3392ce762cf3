#!/usr/bin/env node
// The executable. It is JavaScript that old versions of Node can parse, so that they print a useful
// message. `imports` in package.json maps #main.ts to the source, in a published package to the
// compiled program.

const [major, minor] = process.versions.node.split(".").map(Number);

if (major > 24 || (major === 24 && minor >= 12) || (major === 22 && minor >= 18)) {
  import("#main.ts");
} else {
  // These packages of npm consist of the program only. There are more.
  const isKnown = process.platform === "linux" && ["x64", "arm64"].includes(process.arch);
  const name = `node-linux-${process.arch}`;
  process.stderr.write(
    `error: credence needs Node 22 (22.18 or newer), or 24.12 or newer. This is Node ${process.versions.node}, ${process.execPath}.\n` +
      "Install Node 24 (https://nodejs.org), or put its folder first on PATH.\n" +
      (isKnown
        ? `With npm: npm install --prefix "$HOME/node-24" ${name}@24 && export PATH="$HOME/node-24/node_modules/${name}/bin:$PATH"\n`
        : ""),
  );
  process.exitCode = 2;
}
