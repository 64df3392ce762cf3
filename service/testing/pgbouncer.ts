import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { vi } from "vitest";
import { testFolder } from "./folder.ts";
import { findFreePorts } from "./free-ports.ts";
import { showOnFailure } from "./show-on-failure.ts";
import { whenDone } from "./when-done.ts";

/** Starts pgbouncer in front of the server of a URL, and returns the URL through it. */
export async function startPgbouncer(url: string, settings: readonly string[]): Promise<string> {
  const { hostname, port: serverPort, username } = new URL(url);
  const [port = 0] = await findFreePorts(1);
  const folder = testFolder();
  const file = join(folder, "pgbouncer.ini");
  writeFileSync(
    file,
    `[databases]
* = host=${hostname} port=${serverPort || 5432} user=${username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
${settings.join("\n")}
`,
  );
  // pgbouncer refuses to run as root.
  chmodSync(folder, 0o755);
  const asUser = process.getuid?.() === 0 ? ["runuser", "-u", "postgres", "--"] : [];
  const [command = "", ...args] = [...asUser, "/usr/sbin/pgbouncer", file];
  const child = spawn(command, args, { stdio: ["ignore", "ignore", "pipe"] });
  let output = "";
  child.stderr.on("data", (chunk) => (output += chunk));
  showOnFailure("pgbouncer", () => output);
  const ended = once(child, "close");
  whenDone(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  const through = new URL(url);
  through.host = `127.0.0.1:${port}`;
  await vi.waitUntil(() => accepts(through.href), { timeout: 90_000, interval: 50 });
  return through.href;
}

async function accepts(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}
