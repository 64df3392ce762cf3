import { execFileSync, spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { VERSION } from "#core/config/version.ts";
import packageJson from "../package.json" with { type: "json" };

const LAUNCHER = fileURLToPath(new URL("credence.js", import.meta.url));
const LINK = fileURLToPath(new URL("../../node_modules/.bin/credence", import.meta.url));
/** Some systems have an old Node here. */
const SYSTEM_NODE = "/usr/bin/node";

/** Starts the launcher with a faked version of Node. */
function startAs(version: string) {
  const preload = `data:text/javascript,${encodeURIComponent(
    `Object.defineProperty(process, "versions", { value: { ...process.versions, node: ${JSON.stringify(version)} } });`,
  )}`;
  return spawnSync(process.execPath, ["--import", preload, LAUNCHER, "--version"], { encoding: "utf8" });
}

function isOldNode(path: string): boolean {
  const { stdout } = spawnSync(path, ["--version"], { encoding: "utf8" });
  return /^v(1[4-9]|2[01])\./.test(stdout ?? "");
}

describe("bin/credence.js", () => {
  test("is linked by npm and executable", () => {
    expect(packageJson.bin.credence).toBe("bin/credence.js");
    expect(statSync(LAUNCHER).mode & 0o777).toBe(0o755);
    expect(execFileSync(LINK, ["--version"], { encoding: "utf8" })).toBe(`${VERSION}\n`);
  });

  test.each(["22.18.0", "22.100.0", "24.12.0", "24.100.0", "25.0.0"])("Node %s starts the program", (version) => {
    expect(startAs(version)).toMatchObject({ status: 0, stdout: `${VERSION}\n`, stderr: "" });
  });

  test.each(["14.21.3", "20.20.2", "22.17.1", "23.11.0", "24.11.1"])(
    "2: Node %s prints the required version",
    (version) => {
      const { status, stdout, stderr } = startAs(version);
      expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
      expect(stderr).toContain(
        `credence needs Node 22 (22.18 or newer), or 24.12 or newer. This is Node ${version}, ${process.execPath}.`,
      );
      expect(packageJson.engines.node).toBe("^22.18 || >=24.12");
    },
  );

  test.skipIf(!isOldNode(SYSTEM_NODE))("2: a real old Node prints the required version", () => {
    const { status, stdout, stderr } = spawnSync(SYSTEM_NODE, [LAUNCHER, "serve"], { encoding: "utf8" });
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(/^error: credence needs Node 22 \(22\.18 or newer\), .+ This is Node .+\nInstall .+\n/);
  });
});
