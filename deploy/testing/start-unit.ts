import { chmodSync, chownSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect } from "vitest";
import { openNotifySocket } from "../../service/testing/notify-socket.ts";
import { onlyValueOf, parseVariables, readUnit, type Unit } from "../systemd/unit-file.ts";
import type { DebianRoot } from "./debian-root.ts";

// What systemd does with a unit, as far as these tests need it: its user, credentials, folders and environment.

const folderOf = (name: string) => `/run/credentials/${name}`;

/** Arguments of setpriv that drop all privileges, as the units do. */
export function asUser(root: DebianRoot, user: string): string[] {
  const { uid, gid } = idsOf(root, user);
  return [`--reuid=${uid}`, `--regid=${gid}`, "--clear-groups", "--no-new-privs", "--bounding-set=-all", "--"];
}

/** Starts ExecStart of an installed unit as its user. */
export async function spawnUnit(root: DebianRoot, name: string, instance = "") {
  const unit = readUnit(root.pathOf(`/etc/systemd/system/${name}`));
  const user = onlyValueOf(unit, "User");
  const credentials = giveCredentials(root, unit, name + instance);
  createStateFolders(root, unit);
  const variables = (unit.get("Environment") ?? []).map((line) =>
    line.replaceAll('"', "").replaceAll("%d", credentials).replaceAll("%S", "/var/lib"),
  );
  const settings = (unit.get("EnvironmentFile") ?? [])
    .map((file) => root.pathOf(file.replace(/^-/, "").replace("%i", instance)))
    .flatMap((file) => (existsSync(file) ? readFileSync(file, "utf8").split("\n") : []));
  const socket = await openNotifySocket();
  const environment = {
    ...parseVariables(variables),
    ...parseVariables(settings.filter((line) => !line.startsWith("#"))),
    CREDENTIALS_DIRECTORY: credentials,
    NOTIFY_SOCKET: socket.path,
  };
  const assigned = Object.entries(environment).map(([variable, value]) => `${variable}=${value}`);
  const command = onlyValueOf(unit, "ExecStart").split(" ");
  const { child, signal } = root.start([
    ...["setpriv", ...asUser(root, user), "env", "--ignore-environment", ...assigned],
    ...command,
  ]);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (output += chunk));
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  return { user, child, signal, ended, output: () => output, messages: socket.messages };
}

/** Starts a unit of Type=notify, and waits until it is ready. */
export async function startUnit(root: DebianRoot, name: string, instance = "") {
  const { child, signal, ended, ...unit } = await spawnUnit(root, name, instance);
  await expect
    .poll(() => {
      if (child.exitCode !== null) throw new Error(unit.output());
      return unit.messages[0];
    })
    .toMatch(/^READY=1 /);
  const stop = async () => {
    signal("SIGTERM");
    const code = await ended;
    expect(unit.messages.at(-1)).toMatch(/^STOPPING=1 /);
    return code;
  };
  return { ...unit, stop };
}

/** The ids of a user that systemd-sysusers created. */
function idsOf(root: DebianRoot, user: string): { uid: number; gid: number } {
  const lines = readFileSync(root.pathOf("/etc/passwd"), "utf8").split("\n");
  const [, , uid, gid] = (lines.find((text) => text.startsWith(`${user}:`)) ?? "").split(":").map(Number);
  if (!uid || !gid) throw new Error(`No user ${user}.`);
  return { uid, gid };
}

function giveCredentials(root: DebianRoot, unit: Unit, name: string): string {
  const { uid, gid } = idsOf(root, onlyValueOf(unit, "User"));
  const folder = root.pathOf(folderOf(name));
  mkdirSync(folder, { recursive: true });
  const values = (unit.get("SetCredential") ?? []).map((line) => line.split(":"));
  for (const [id = "", value = ""] of values) writeFileSync(join(folder, basename(id)), value);
  for (const credential of unit.get("LoadCredential") ?? []) {
    const [id = "", source = ""] = credential.split(":");
    const file = join(folder, basename(id));
    if (existsSync(root.pathOf(source)) || !existsSync(file)) copyFileSync(root.pathOf(source), file);
    chownSync(file, uid, gid);
    chmodSync(file, 0o400);
  }
  chownSync(folder, uid, gid);
  chmodSync(folder, 0o500);
  return folderOf(name);
}

function createStateFolders(root: DebianRoot, unit: Unit): void {
  const { uid, gid } = idsOf(root, onlyValueOf(unit, "User"));
  for (const name of unit.get("StateDirectory") ?? []) {
    const folder = root.pathOf(join("/var/lib", name));
    if (existsSync(folder)) continue;
    mkdirSync(folder, { mode: Number.parseInt(onlyValueOf(unit, "StateDirectoryMode"), 8) });
    chownSync(folder, uid, gid);
  }
}
