import { execFile, execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { APP_OUTPUT, recipeOf, standIn } from "../testing/stand-in.ts";

/** What the recipe changes. In a mount namespace these are copies. */
const CHANGED = ["/etc/hosts", "/etc/ssl/certs", "/usr/local/share/ca-certificates"];

const stateOf = (): string[] => [
  readFileSync("/etc/hosts", "utf8"),
  ...CHANGED.slice(1).flatMap((folder) => globSync("**/*", { cwd: folder }).sort()),
  readFileSync("/etc/ssl/certs/ca-certificates.crt", "utf8"),
];

test("a program with the old host in its code works on a machine with the recipe of docs/reference/old-host-names.md", async () => {
  const { folder, address } = await standIn();
  const before = stateOf();
  // Credence runs in this process, so it must not wait.
  const inNamespace = (script: string) =>
    promisify(execFile)("unshare", ["--mount", "--propagation", "private", "bash", "-euo", "pipefail", "-c", script], {
      cwd: folder,
    });
  const copies = CHANGED.map(
    (path) => `cp -a ${path} copy && mv copy "copy-$((++n))" && mount --bind "copy-$n" ${path}`,
  );
  const { stdout } = await inNamespace(`n=0
mkdir -p ${CHANGED[2]}
${copies.join("\n")}
${recipeOf("machine", address)}
curl -sf https://api.old.example/api/v1/passports/1 > /dev/null
NODE_USE_SYSTEM_CA=1 ${process.execPath} app.mjs > with-system.txt
NODE_EXTRA_CA_CERTS=authority.pem ${process.execPath} app.mjs > with-file.txt
cat with-system.txt with-file.txt`);
  expect(stdout.endsWith(APP_OUTPUT + APP_OUTPUT)).toBe(true);
  expect(stateOf()).toEqual(before);
});

test("the authority vouches for no other name", async () => {
  const { folder } = await standIn();
  // Its key is deleted. With a new one of the same constraints:
  const script = recipeOf("authority", "")
    .replace(/^rm authority.key.*$/m, "")
    .replaceAll('"subjectAltName = DNS:api.old.example"', '"subjectAltName = $NAME"');
  const isTrusted = (name: string): boolean => {
    execFileSync("sh", ["-ec", script], { cwd: folder, env: { PATH: "/usr/bin:/bin", NAME: name }, stdio: "pipe" });
    try {
      return execFileSync("openssl", ["verify", "-CAfile", "authority.pem", "fullchain.pem"], {
        ...{ cwd: folder, encoding: "utf8", stdio: "pipe" },
      }).includes("OK");
    } catch {
      return false;
    }
  };
  expect(isTrusted("DNS:api.old.example")).toBe(true);
  for (const name of ["DNS:bank.example", "DNS:x.api.old.example", "IP:192.0.2.1", "IP:2001:db8::1"])
    expect(isTrusted(name), name).toBe(false);
});
