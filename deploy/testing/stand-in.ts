import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { testFolder } from "../../service/testing/folder.ts";
import { person } from "../../service/testing/people.ts";
import { startProxy } from "../../service/testing/proxy.ts";
import { serving } from "../../service/testing/serving.ts";
import { whenDone } from "../../service/testing/when-done.ts";

const page = readFileSync(new URL("../../docs/reference/old-host-names.md", import.meta.url), "utf8");
const OLD_NAME = "api.old.example";

/** A program with the old server in its code. It prints what it reads. */
const APP = `const response = await fetch("https://${OLD_NAME}/api/v1/passports/1", { headers: { "X-API-KEY": "old" } });
console.log(response.status, (await response.json()).passport.passport_id);
`;
export const APP_OUTPUT = "200 1\n";

/** A block of docs/reference/old-host-names.md, with another address. */
export function recipeOf(name: "authority" | "container" | "machine", address: string): string {
  const [, block] = new RegExp(`\`\`\`sh ${name}\\n(.*?)\`\`\``, "s").exec(page) ?? [];
  if (block === undefined) throw new Error(`docs/reference/old-host-names.md has no block ${name}.`);
  return block.replaceAll("192.0.2.10", address);
}

/** Credence behind nginx as the old server, and the program that calls it, in a folder. */
export async function standIn(): Promise<{ folder: string; address: string }> {
  // An address of the loopback interface on which port 443 is free.
  const address = `127.77.${(process.pid >> 8) % 256}.${(process.pid % 254) + 1}`;
  const folder = join(testFolder(), "stand-in");
  mkdirSync(folder, { mode: 0o700 });
  execFileSync("sh", ["-ec", recipeOf("authority", address)], { cwd: folder, stdio: "pipe" });
  writeFileSync(join(folder, "app.mjs"), APP);
  const node = await serving([person(1)], {
    environment: { AUTH_MODE: "open", PUBLIC_URL: `https://${OLD_NAME}`, TRUSTED_PROXIES: "127.0.0.1" },
  });
  const proxy = await startProxy(join(folder, "nginx"), [node.address], {
    standIn: { name: OLD_NAME, address, tlsFolder: folder },
  });
  whenDone(proxy.stop);
  return { folder, address };
}
