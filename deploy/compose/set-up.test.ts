import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, globSync, readFileSync, rmSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { testFolder } from "../../service/testing/folder.ts";

/** Copies of deploy/compose and deploy/nginx. Returns the first. */
function copyFiles(): string {
  const folder = testFolder();
  const compose = join(folder, basename(folder));
  const isShipped = (path: string) => !/\/(secrets|data|\.env|credence\.env)$/.test(path);
  cpSync(import.meta.dirname, compose, { recursive: true, filter: isShipped });
  cpSync(join(import.meta.dirname, "../nginx"), join(folder, "nginx"), { recursive: true });
  return compose;
}

function setUp(compose: string, args: readonly string[] = [], path = "") {
  // A volume of this machine is not of this folder.
  const project = { COMPOSE_PROJECT_NAME: basename(compose), DOCKER_HOST: "unix:///nonexistent" };
  // biome-ignore lint/style/noProcessEnv: a child needs PATH.
  const env = { ...process.env, ...project, PATH: `${path}${process.env.PATH}` };
  const { status, stdout, stderr } = spawnSync("./set-up.sh", args, { cwd: compose, env, encoding: "utf8" });
  return { status, stdout, stderr };
}

const FILES = "{.env,credence.env,secrets/*,secrets/tls/*}";
const read = (compose: string): Record<string, string> =>
  Object.fromEntries(
    globSync(FILES, { cwd: compose })
      .filter((name) => statSync(join(compose, name)).isFile())
      .sort()
      .map((name) => [name, readFileSync(join(compose, name), "utf8")]),
  );
const certifiedNames = (compose: string): string =>
  execFileSync("openssl", ["x509", "-in", "secrets/tls/fullchain.pem", "-noout", "-ext", "subjectAltName"], {
    cwd: compose,
    encoding: "utf8",
  });

test("creates settings, secrets and a certificate for the domain, and a second run changes nothing", () => {
  const compose = copyFiles();
  const first = setUp(compose, ["api.example.org"]);
  expect(first).toMatchObject({ status: 0, stderr: "" });
  for (const file of ["secrets/opt-out-key", "secrets/holder-key", "data/decisions"])
    expect(first.stdout).toContain(file);
  const files = read(compose);
  expect(files[".env"]).toContain("\nPUBLIC_URL=https://api.example.org\n");
  expect(certifiedNames(compose)).toContain("DNS:api.example.org");
  expect(setUp(compose)).toEqual(first);
  expect(setUp(compose, ["api.example.org"])).toEqual(first);
  expect(read(compose)).toEqual(files);
  expect(setUp(compose, ["other.example.org"])).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("change that line"),
  });
  expect(setUp(compose, ["https://api.example.org"])).toMatchObject({ status: 1 });
  expect(read(compose)).toEqual(files);
});

test("interrupted at any secret, it keeps what it made and completes the rest when it is run again", () => {
  const tools = testFolder();
  for (let calls = 0; calls < 5; calls += 1) {
    // Fails after this many calls.
    const script = `#!/bin/sh\necho >> ${tools}/calls\n[ $(wc -l < ${tools}/calls) -gt ${calls} ] && exit 1\nPATH=\${PATH#*:}\nexec openssl "$@"\n`;
    writeFileSync(join(tools, "openssl"), script, { mode: 0o755 });
    rmSync(join(tools, "calls"), { force: true });
    const compose = copyFiles();
    expect(setUp(compose, [], `${tools}:`).status).not.toBe(0);
    const kept = Object.entries(read(compose)).filter(([name]) => !name.endsWith(".new"));
    expect(setUp(compose)).toMatchObject({ status: 0, stderr: "" });
    const files = read(compose);
    expect(files).toMatchObject(Object.fromEntries(kept));
    expect(Object.keys(files)).toHaveLength(10);
    expect(Object.values(files)).not.toContain("");
  }
});

test("beside a database, a missing secret is not created, and the message names its file", () => {
  const compose = copyFiles();
  setUp(compose);
  const marker = join(compose, "data/set-up-is-complete");
  for (const secret of ["opt-out-key", "holder-key", "owner-password", "serve-password"]) {
    const path = join(compose, "secrets", secret);
    const content = readFileSync(path);
    unlinkSync(path);
    const before = read(compose);
    expect(setUp(compose)).toMatchObject({
      status: 1,
      stdout: "",
      stderr: expect.stringContaining(`secrets/${secret}\n`),
    });
    expect(read(compose)).toEqual(before);
    writeFileSync(path, content);
  }
  // A file of a worker shows it too.
  unlinkSync(marker);
  writeFileSync(join(compose, "data/decisions/decisions.ndjson"), "");
  unlinkSync(join(compose, "secrets/opt-out-key"));
  expect(setUp(compose)).toMatchObject({ status: 1, stderr: expect.stringContaining("decisions.ndjson") });
  unlinkSync(join(compose, "data/decisions/decisions.ndjson"));
  expect(setUp(compose)).toMatchObject({ status: 0 });
});

test("./credence says what is missing, before it asks for a container", () => {
  const compose = copyFiles();
  const credence = () => spawnSync("./credence", ["status"], { cwd: compose, encoding: "utf8" });
  expect(credence()).toMatchObject({ status: 1, stdout: "", stderr: expect.stringContaining("Run ./set-up.sh") });
  setUp(compose);
  for (const secret of ["owner-url", "opt-out-key", "holder-key"]) {
    const path = join(compose, "secrets", secret);
    const content = readFileSync(path);
    unlinkSync(path);
    const stderr = `${path} is missing. Run ./set-up.sh, which says what to do.\n`;
    expect(credence()).toMatchObject({ status: 1, stdout: "", stderr });
    writeFileSync(path, content);
  }
});

test("settings stay, and so does a certificate of an authority", () => {
  const compose = copyFiles();
  writeFileSync(join(compose, ".env"), "HTTPS_PORT=8443");
  writeFileSync(join(compose, "credence.env"), "LOG_LEVEL=warn\n");
  expect(setUp(compose)).toMatchObject({ status: 0 });
  const files = read(compose);
  expect(files[".env"]).toMatch(
    /^HTTPS_PORT=8443\nCOMPOSE_PROJECT_NAME=credence\nPUBLIC_URL=https:..localhost:8443\n$/,
  );
  expect(files["credence.env"]).toBe("LOG_LEVEL=warn\n");
  // The one of this script is made again for another name.
  writeFileSync(join(compose, ".env"), "PUBLIC_URL=https://new.example.org\n");
  expect(setUp(compose)).toMatchObject({ status: 0 });
  expect(certifiedNames(compose)).toContain("DNS:new.example.org");
  const authority = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const files_ = ["-keyout", "secrets/tls/privkey.pem", "-out", "secrets/tls/fullchain.pem"];
  execFileSync("openssl", [...authority, "-subj", "/CN=old.example.org", ...files_], { cwd: compose, stdio: "ignore" });
  const certificate = read(compose)["secrets/tls/fullchain.pem"];
  expect(setUp(compose)).toMatchObject({ status: 0 });
  expect(read(compose)["secrets/tls/fullchain.pem"]).toBe(certificate);
});

test("without deploy/nginx beside it, it says so and creates nothing", () => {
  const compose = copyFiles();
  rmSync(join(compose, "../nginx"), { recursive: true });
  expect(setUp(compose)).toMatchObject({ status: 1, stderr: expect.stringContaining("../nginx is missing") });
  expect(read(compose)).toEqual({});
});
