import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { Agent, type RequestOptions, request } from "node:https";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { brotliDecompress, gunzip } from "node:zlib";
import { createAuthority } from "./certificates.ts";
import type { FakeClock } from "./fake-clock.ts";
import { findFreePorts } from "./free-ports.ts";

// A real nginx with the configuration of deploy/nginx, in a folder of its own.

const CONFIGURATION = join(import.meta.dirname, "../../deploy/nginx");
/** The name in the configuration, and of the certificate. */
const SERVER_NAME = "api.example.org";

export type ProxyResponse = {
  status: number;
  headers: Record<string, string>;
  rawHeaders: string[];
  /** Decompressed. */
  body: string;
};

export type RunningProxy = {
  port: number;
  /** The port that redirects to HTTPS. */
  plainPort: number;
  /** A file with the certificate of the authority. */
  authority: string;
  /** The ids of the processes that handle requests; none for a moment after the start. */
  workerIds: () => number[];
  send: (path: string, options?: SendOptions) => Promise<ProxyResponse>;
  stop: () => Promise<void>;
};

type SendOptions = Pick<RequestOptions, "method" | "headers" | "localAddress"> & { body?: string };

/** The name and address of a server that nginx stands in for, with its own fullchain.pem and privkey.pem. */
type StandIn = { name: string; address: string; tlsFolder: string };

type ProxyOptions = {
  /** Sets the time of nginx, which makes it slower. */
  clock?: FakeClock;
  /** Further paths of V1. */
  alsoAt?: readonly string[];
  /** nginx also listens on port 443 of its address. */
  standIn?: StandIn | null;
  /** Another address on which nginx listens, with the same port. */
  alsoOn?: string;
  /** No limit of requests for anybody. */
  isUnlimited?: boolean;
};

/** Starts nginx in front of nodes. `folder` must be empty or not exist. */
export async function startProxy(
  folder: string,
  nodes: readonly string[],
  { clock, alsoAt = [], standIn = null, alsoOn, isUnlimited = false }: ProxyOptions = {},
): Promise<RunningProxy> {
  const [port = 0, plainPort = 0] = await findFreePorts(2);
  mkdirSync(join(folder, "tls"), { recursive: true });
  const authority = await layOut(folder, nodes, port, plainPort, Object.keys(clock?.environment ?? {}));
  const paths = ["/api/v1", ...alsoAt].map((path) => path.slice(1));
  edit(join(folder, "credence.conf"), [
    ["(api/v1)/+passports", `(${paths.join("|")})/+passports`],
    ["/+(api)/", `/+(${["api", ...paths].join("|").replaceAll("/", "/+")})/`],
  ]);
  const listening = /(listen 127\.0\.0\.1:\d+ ssl.*)/g;
  if (isUnlimited)
    edit(join(folder, "credence.conf"), [
      ["geo $credence_is_exempt { default 0; }", "geo $credence_is_exempt { default 1; }"],
    ]);
  if (alsoOn !== undefined)
    edit(join(folder, "credence.conf"), [[listening, `$1 listen ${alsoOn}:${port} ssl http2;`]]);
  if (standIn !== null) {
    const { name, address, tlsFolder } = standIn;
    edit(join(folder, "credence.conf"), [
      [SERVER_NAME, name],
      [listening, `$1 listen ${address}:443 ssl http2;`],
      [`${folder}/tls/`, `${tlsFolder}/`],
    ]);
  }
  const child = spawn("nginx", ["-e", join(folder, "start.log"), "-c", join(folder, "nginx.conf")], {
    // biome-ignore lint/style/noProcessEnv: a child needs PATH and the like.
    env: { ...process.env, ...clock?.environment },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = once(child, "exit");
  let output = "";
  child.stderr.on("data", (chunk) => (output += chunk));
  await Promise.race([
    whenListening(port),
    ended.then(() => {
      throw new Error(`nginx ended: ${output}${readFileSync(join(folder, "start.log"), "utf8")}`);
    }),
  ]);
  const agent = new Agent({
    keepAlive: true,
    maxSockets: 32,
    ca: readFileSync(authority),
    servername: SERVER_NAME,
  });
  return {
    port,
    plainPort,
    authority,
    workerIds: () =>
      readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").split(" ").filter(Boolean).map(Number),
    send: (path, options = {}) => send({ ...options, agent, host: "127.0.0.1", port, path }),
    stop: async () => {
      agent.destroy();
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/**
 * Writes the configuration with ports and paths of this folder. nginx removes all variables but the
 * listed ones from its environment. Returns the authority's file.
 */
async function layOut(
  folder: string,
  nodes: readonly string[],
  port: number,
  plainPort: number,
  variables: readonly string[],
): Promise<string> {
  for (const name of globSync("*.conf", { cwd: CONFIGURATION })) {
    cpSync(join(CONFIGURATION, name), join(folder, name));
    edit(join(folder, name), [
      ...pathsIn(folder),
      [/listen \[::\].*/g, ""],
      ["listen 80;", `listen 127.0.0.1:${plainPort};`],
      ["listen 443 ssl", `listen 127.0.0.1:${port} ssl`],
      [
        /server 127\.0\.0\.1:8080 (.*);/g,
        (_, settings) => nodes.map((node) => `server ${new URL(node).host} ${settings};`).join("\n"),
      ],
    ]);
  }
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  writeFileSync(
    join(folder, "nginx.conf"),
    `include /etc/nginx/modules-enabled/*.conf;
user root;
worker_processes 1;
daemon off;
${variables.map((name) => `env ${name};`).join(" ")}
pid ${folder}/pid;
events { worker_connections 8192; }
http { ${temporary.join(" ")} include ${folder}/credence.conf; }
`,
  );
  const { caFile, issue } = await createAuthority(join(folder, "tls"));
  const { certFile, keyFile } = await issue(SERVER_NAME, 2);
  renameSync(certFile, join(folder, "tls/fullchain.pem"));
  renameSync(keyFile, join(folder, "tls/privkey.pem"));
  return caFile;
}

type Edit = [from: string | RegExp, to: string | ((...match: string[]) => string)];

/** The paths of the configuration, in one folder. deploy/nginx/shipped-files.test.ts uses the real ones. */
const pathsIn = (folder: string): Edit[] => [
  ["/etc/nginx/credence/", `${folder}/`],
  ["/etc/credence/tls/", `${folder}/tls/`],
  ["/var/cache/nginx/credence", `${folder}/cache`],
  ["/var/log/nginx/", `${folder}/`],
  ["/run/credence-", `${folder}/credence-`],
  [/\/dev\/std(out|err)/g, `${folder}/$1.log`],
];

/** Edits a file in its place. */
function edit(file: string, edits: readonly Edit[]): void {
  const text = edits.reduce((before, [from, to]) => before.replaceAll(from, to as string), readFileSync(file, "utf8"));
  writeFileSync(file, text);
}

async function whenListening(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, "127.0.0.1");
    const isOpen = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    await setTimeout(10);
  }
}

const DECODERS: Record<string, (body: Buffer) => Promise<Buffer>> = {
  gzip: promisify(gunzip),
  br: promisify(brotliDecompress),
};

async function send({ body: sentBody, ...options }: RequestOptions & SendOptions): Promise<ProxyResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<ProxyResponse>();
  const headers = { host: SERVER_NAME, ...(options.headers as Record<string, string>) };
  const sent = request({ ...options, headers }, async (response) => {
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      const bytes = Buffer.concat(chunks);
      const decode = DECODERS[response.headers["content-encoding"] ?? ""];
      const body = decode === undefined || bytes.length === 0 ? bytes : await decode(bytes);
      const { statusCode, rawHeaders } = response;
      const named = response.headers as Record<string, string>;
      resolve({ status: statusCode as number, headers: named, rawHeaders, body: body.toString() });
    } catch (error) {
      reject(error);
    }
  });
  sent.on("error", reject);
  sent.end(sentBody);
  return promise;
}
