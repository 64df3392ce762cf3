import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import { expect } from "vitest";
import { findFreePorts } from "../../service/testing/free-ports.ts";
import { changeNetwork } from "../../service/testing/network-lock.ts";
import { whenDone } from "../../service/testing/when-done.ts";
import type { Containers } from "./containers.ts";
import { buildTestImages } from "./debian-images.ts";
import { commandsOf } from "./install-guide.ts";

const deploy = join(import.meta.dirname, "..");

/** With a second server, as docs/reference/tuning.md says. */
export const WITH_SECOND = ["--file", "compose.yaml", "--file", "second-server.yaml"];

/** A copy of deploy/compose for podman-compose, with ports of its own. It is removed after the test. */
export async function openCompose({ folder, env, run }: Containers) {
  const images = buildTestImages(join(folder, "images"), env);
  const releaseNetwork = await changeNetwork();
  // In a copy, because secrets are created beside compose.yaml. podman-compose names the project and its
  // networks after the folder; networks are common to all image stores.
  const project = basename(folder).toLowerCase();
  const place = join(folder, "deploy", project);
  mkdirSync(join(folder, "deploy"));
  cpSync(join(deploy, "compose"), place, { recursive: true });
  cpSync(join(deploy, "nginx"), join(folder, "deploy/nginx"), { recursive: true });
  const [httpsPort, httpPort, metricsPort, metricsPort2] = await findFreePorts(4);
  const address = `https://localhost:${httpsPort}`;
  const settings = {
    POSTGRES_IMAGE: images.postgres,
    NGINX_IMAGE: images.nginx,
    HTTP_PORT: String(httpPort),
    HTTPS_PORT: String(httpsPort),
    METRICS_PORT: String(metricsPort),
    METRICS_PORT_2: String(metricsPort2),
    NODE_EXTRA_CA_CERTS: join(place, "secrets/tls/fullchain.pem"),
  };
  const composeEnv: NodeJS.ProcessEnv = { ...env, ...settings };
  const inCompose = (command: string, ...args: string[]): string =>
    execFileSync(command, args, { cwd: place, env: composeEnv, encoding: "utf8", stdio: "pipe" });
  whenDone(async () => {
    inCompose("podman-compose", ...WITH_SECOND, "down", "--volumes", "--timeout", "1");
    run("podman", "network", "rm", `${project}_front`, `${project}_back`);
    await releaseNetwork();
  });

  const containerOf = (service: string) => `${project}_${service}_1`;
  const inspect = (service: string, format: string) =>
    inCompose(
      "podman",
      "inspect",
      "--format",
      `{{range $name, $network := .NetworkSettings.Networks}}${format}{{end}}`,
      containerOf(service),
    );

  /** The commands of docs/PRODUCTION.md and docs/reference/compose.md but the restore, with more settings in credence.env. */
  const commands = (added: string): string =>
    (commandsOf("With compose") + commandsOf("Back up with compose"))
      .replace("cd deploy/compose\n", "")
      .replaceAll("docker compose", "podman-compose")
      // A busy machine may answer 503 at first.
      .replaceAll("curl ", "curl --silent --retry 20 ")
      .replaceAll("https://localhost/", `${address}/`)
      .replaceAll("127.0.0.1:9090", `127.0.0.1:${metricsPort}`)
      .replace("./set-up.sh localhost\n", `./set-up.sh localhost\nprintf '${added}' >> credence.env\n`);

  const curl = (...args: string[]): string => inCompose("curl", "--silent", "--insecure", ...args);
  const findStatus = (): string => {
    try {
      return curl("--output", "/dev/null", "--write-out", "%{http_code}", `${address}/health/ready`);
    } catch (error) {
      return String(error);
    }
  };
  const waitUntilReady = async (): Promise<void> => {
    try {
      await expect.poll(findStatus, { timeout: 300_000 }).toBe("200");
    } catch (error) {
      const show = (...args: string[]): string => spawnSync("podman", args, { env, encoding: "utf8" }).stdout;
      const names = ["database", "server", "proxy"].map(containerOf);
      const logs = names.map((name) => `${name}\n${show("logs", "--tail", "10", name)}`);
      throw new Error([show("ps", "--all"), ...logs].join("\n"), { cause: error });
    }
  };
  return {
    ...{ place, project, address, env: composeEnv, inCompose, containerOf, commands, curl, waitUntilReady },
    ports: { http: httpPort, metrics: metricsPort, metrics2: metricsPort2 },
    networksOf: (service: string) => inspect(service, "{{$name}} ").trim(),
    addressesOf: (service: string) => inspect(service, "{{$network.IPAddress}} ").trim(),
  };
}
