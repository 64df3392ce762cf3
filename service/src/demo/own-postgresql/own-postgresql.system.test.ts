import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { PACKAGE, PACKAGE_VERSION } from "./program.ts";

const run = promisify(execFile);

// A machine without PostgreSQL: no address but the loopback interface, no socket, and an empty cache.
const SCRIPT = `
ip link set lo up
mount -t tmpfs none /var/run/postgresql
mount -t tmpfs none /var/cache
credence() { "$0" service/bin/credence.js "$@"; }
demo() { "$0" service/bin/credence.js demo > /var/cache/out 2>&1 & pid=$!; until curl -sf localhost:8080/api/v1/passports/1 > /dev/null || ! kill -0 $pid 2> /dev/null; do sleep 0.1; done; cat /var/cache/out; }
server() { cat /var/cache/credence-demo/data-*/postmaster.pid | head -n 1; }
demo
credence demo --port 9000 2>&1; echo "two demos: $?"
credence demo --remove 2>&1; echo "remove in use: $?"
stat --format='folder %a %U' /var/cache/credence-demo
stat --format='password %a' /var/cache/credence-demo/password-*
server=$(server); kill -KILL $pid; wait $pid 2> /dev/null
demo
kill -0 $server 2> /dev/null; echo "server of the killed demo: $?"
curl -s 'localhost:8080/api/v1/passports?keyword=okafor'; echo
server=$(server); kill -INT $pid; wait $pid; echo "stopped: $?"
kill -0 $server 2> /dev/null; echo "server of the stopped demo: $?"
rm -r /var/cache/credence-demo/data-*; mkdir /var/cache/credence-demo/data-18.part
mount -t tmpfs -o size=90m none /var/cache/credence-demo
credence demo 2>&1; echo "full disk: $?"
umount /var/cache/credence-demo
demo; kill -INT $pid; wait $pid; echo "after an interrupted creation: $?"
credence demo --remove 2>&1; ls /var/cache`;

test("the demo brings its own PostgreSQL to a machine without one, stops it in any case, and removes it", async () => {
  const { stdout } = await run("unshare", ["--net", "--mount", "bash", "-c", SCRIPT, process.execPath], {
    // biome-ignore lint/style/noProcessEnv: without databases.
    env: { PATH: process.env.PATH, HOME: "/root", NO_COLOR: "1", NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
  });
  const inUse = "error: Another `credence demo` uses the PostgreSQL in /var/cache/credence-demo.";
  expect(stdout).toContain("This machine runs no PostgreSQL. Starting one in /var/cache/credence-demo.\nCreated the");
  expect(stdout).toContain("Its PostgreSQL stops too; `credence demo --remove` deletes it.");
  expect(stdout).toMatch(new RegExp(`${inUse}\\n.*\\ntwo demos: 1\\n${inUse}\\n.*\\nremove in use: 1\\n`));
  expect(stdout).toContain("folder 700 postgres\npassword 600\n");
  expect(stdout).toContain("server of the killed demo: 1\n");
  expect(stdout).toContain('"display_name":"Ada Okafor"');
  expect(stdout).toContain("stopped: 0\nserver of the stopped demo: 1\n");
  expect(stdout).toMatch(/No space left on device\nThe disk is full\. .*\nfull disk: 1\n/i);
  expect(stdout).toMatch(
    /after an interrupted creation: 0\nRemoved \/var\/cache\/credence-demo\.\n(?!.*credence-demo)/s,
  );
});

test("names the version that is locked", () => {
  const lock = JSON.parse(readFileSync("package-lock.json", "utf8"));
  expect(lock.packages[`node_modules/${PACKAGE}`]).toMatchObject({
    version: PACKAGE_VERSION,
    integrity: expect.stringMatching(/^sha512-/),
  });
});
