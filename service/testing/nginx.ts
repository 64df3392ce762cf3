import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { vi } from "vitest";
import { testFolder } from "./folder.ts";
import { showOnFailure } from "./show-on-failure.ts";
import { whenDone } from "./when-done.ts";

/**
 * Starts nginx with this content of the block `http`, and waits until it listens on the port. All
 * its files are in a temporary folder, whose path replaces `$folder`. It ends after the test.
 */
export async function startNginx(http: string, port: number): Promise<void> {
  const folder = testFolder();
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join("\n");
  const file = join(folder, "nginx.conf");
  await writeFile(
    file,
    `daemon off;
    master_process off;
    pid ${folder}/pid;
    error_log stderr warn;
    events {}
    http {
      access_log off;
      ${temporary}
      ${http.replaceAll("$folder", folder)}
    }`,
  );
  // biome-ignore lint/style/noProcessEnv: a child needs PATH. Debian installs nginx into /usr/sbin.
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };
  const child = spawn("nginx", ["-p", folder, "-e", "stderr", "-c", file], {
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let output = "";
  child.stderr.on("data", (chunk) => (output += chunk));
  child.on("error", (error) => (output += `${error}. Tests need nginx.`));
  showOnFailure("nginx", () => output);
  const ended = once(child, "close").catch(() => {});
  whenDone(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  const hasEnded = () => child.exitCode !== null || child.pid === undefined;
  await vi.waitUntil(async () => hasEnded() || (await accepts(port)), { timeout: 90_000, interval: 20 });
  if (hasEnded()) throw new Error(`nginx ended: ${output}`);
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
