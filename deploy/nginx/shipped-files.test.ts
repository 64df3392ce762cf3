import { globSync, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { testFolder } from "../../service/testing/folder.ts";
import { onlyValueOf, readUnit } from "../systemd/unit-file.ts";
import { openDebianRoot } from "../testing/debian-root.ts";
import { commandsOf } from "../testing/install-guide.ts";

// The files where they are documented to be, with nothing replaced.

// Private folders need the rights of root.
describe.skipIf(process.getuid?.() !== 0)("docs/reference/nginx.md, Behind nginx", async () => {
  const root = await openDebianRoot(testFolder());
  // Nothing starts without systemd as PID 1.
  root.run(
    commandsOf("Behind nginx")
      .replace(/^apt-get .*/gm, "")
      .replace(" --now", ""),
  );

  test("its commands install all files", () => {
    const installed = ["/etc/nginx/credence", "/etc/nginx/conf.d"].flatMap((place) => readdirSync(root.pathOf(place)));
    const shipped = globSync("*.{conf,sh}", { cwd: import.meta.dirname }).map((file) => basename(file));
    expect(installed.sort()).toEqual(shipped.filter((name) => name !== "use-certificate.sh").sort());
    const unit = readUnit(join(import.meta.dirname, "../systemd/credence-cache.service"));
    const [script = ""] = onlyValueOf(unit, "ExecStart").split(" ");
    expect(statSync(root.pathOf(script)).mode & 0o111).toBe(0o111);
  });

  test("nginx accepts them, and its user owns the cache", () => {
    expect(root.run("nginx -t")).toContain("test is successful");
    expect(root.run("stat --format='%U %a' /var/cache/nginx/credence")).toBe("www-data 700\n");
  });

  test("nginx accepts them without the module and the file of brotli, and not with the file alone", () => {
    root.run("rm /etc/nginx/modules-enabled/*brotli*");
    expect(root.run("nginx -t", { code: 1 })).toContain('unknown directive "brotli"');
    root.run("rm /etc/nginx/credence/brotli.conf");
    expect(root.run("nginx -t")).toContain("test is successful");
  });
});
