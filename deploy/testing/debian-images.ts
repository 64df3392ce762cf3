import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  globSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

// Images of PostgreSQL and nginx from the Debian packages of this machine, for tests without an
// image registry. They understand what compose.yaml uses of the public images.

const POSTGRES_START = `#!/bin/sh
# The part of the public image's start script that compose.yaml relies on.
set -eu
data=/var/lib/postgresql/data
if [ ! -s $data/PG_VERSION ]; then
  initdb -D $data -U "$POSTGRES_USER" --pwfile="$POSTGRES_PASSWORD_FILE" --auth-local=trust --auth-host=scram-sha-256 --no-locale $POSTGRES_INITDB_ARGS
  echo "host all all all scram-sha-256" >> $data/pg_hba.conf
  export PGPASSWORD="$(cat "$POSTGRES_PASSWORD_FILE")"
  pg_ctl -D $data -w -o "-c listen_addresses= -k /tmp" start
  export PGHOST=/tmp
  [ "$POSTGRES_DB" = postgres ] || createdb -U "$POSTGRES_USER" "$POSTGRES_DB"
  for script in /docker-entrypoint-initdb.d/*.sh; do sh "$script"; done
  pg_ctl -D $data -w stop
fi
exec postgres -D $data -c listen_addresses='*' -k /tmp -c fsync=off
`;

/** Modules of the C library, with which `getent` asks the name server. */
const NAME_SERVICES = globSync("/usr/lib/*/libnss_{dns,files}.so.2");

/** Builds both images in the storage of `env`. Returns their names. */
export function buildTestImages(folder: string, env: NodeJS.ProcessEnv): { postgres: string; nginx: string } {
  const [postgresFolder] = globSync("/usr/lib/postgresql/*").sort().reverse();
  if (postgresFolder === undefined)
    throw new Error("The test needs PostgreSQL's server programs: run `source .ci/env`.");
  const version = postgresFolder.split("/").at(-1);
  // `mv` for the backup in docs/reference/compose.md.
  const shell = ["/bin/sh", "/usr/bin/cat", "/usr/bin/mv"];
  const postgres = layOut(join(folder, "postgres"), {
    programs: [...shell, ...globSync(`${postgresFolder}/bin/*`), ...listModules(`${postgresFolder}/lib`)],
    folders: [`/usr/share/postgresql/${version}`, "/usr/share/zoneinfo"],
    users: ["root", "postgres"],
  });
  writeFileSync(join(postgres, "start.sh"), POSTGRES_START);
  mkdirSync(join(postgres, "data"));
  writeContainerfile(postgres, [
    "COPY --chown=postgres:postgres data /var/lib/postgresql/data",
    `ENV PATH=${postgresFolder}/bin:/usr/bin:/bin PGHOST=/tmp`,
    "USER postgres",
    "STOPSIGNAL SIGINT",
    'ENTRYPOINT ["/bin/sh", "/start.sh"]',
  ]);
  const nginx = layOut(join(folder, "nginx"), {
    programs: [
      ...["/usr/sbin/nginx", "/bin/sh", "/usr/bin/sleep", "/usr/bin/getent", ...NAME_SERVICES],
      // Of start-proxy.sh and delete-old-copies.sh.
      ...["/usr/bin/sed", "/usr/bin/date", "/usr/bin/setpriv", "/usr/bin/stat", "/usr/bin/find"],
    ],
    folders: [],
    users: ["root", "www-data"],
  });
  mkdirSync(join(nginx, "etc/nginx/conf.d"), { recursive: true });
  writeFileSync(
    join(nginx, "etc/nginx/nginx.conf"),
    "user www-data; pid /run/nginx.pid; error_log /dev/stderr; events {} http { include /etc/nginx/conf.d/*.conf; }\n",
  );
  writeContainerfile(nginx, ["STOPSIGNAL SIGQUIT", 'ENTRYPOINT ["/usr/sbin/nginx", "-g", "daemon off;"]']);
  for (const [name, root] of Object.entries({ postgres, nginx })) {
    const args = ["bud", "--quiet", "--isolation", "chroot", "--tag", `localhost/credence-test-${name}`, root];
    execFileSync("buildah", args, { env, stdio: ["ignore", "ignore", "pipe"] });
  }
  return { postgres: "localhost/credence-test-postgres", nginx: "localhost/credence-test-nginx" };
}

/** Without just-in-time compilation, which is larger than all the rest. */
const listModules = (folder: string): string[] =>
  globSync(`${folder}/*.so`).filter((path) => !path.endsWith("llvmjit.so"));

type Content = { programs: readonly string[]; folders: readonly string[]; users: readonly string[] };

function layOut(root: string, { programs, folders, users }: Content): string {
  // As on Debian: the libraries are found below /lib.
  for (const name of ["bin", "sbin", "lib", "lib64"]) {
    mkdirSync(join(root, "usr", name), { recursive: true });
    symlinkSync(join("usr", name), join(root, name));
  }
  for (const path of [...programs, ...listLibraries(programs), ...folders]) {
    const target = join(root, path);
    mkdirSync(dirname(target), { recursive: true });
    cpSync(realpathSync(path), target, { recursive: true, dereference: true });
  }
  for (const path of ["tmp", "run", "var/log/nginx", "var/lib/nginx", "var/cache/nginx", "etc/credence/tls"])
    mkdirSync(join(root, path), { recursive: true });
  chmodSync(join(root, "tmp"), 0o1777);
  for (const file of ["passwd", "group"]) {
    const lines = readFileSync(`/etc/${file}`, "utf8").split("\n");
    const kept = lines.filter((line) => users.includes(line.split(":")[0] as string));
    writeFileSync(join(root, "etc", file), `${kept.join("\n")}\n`);
  }
  return root;
}

function listLibraries(programs: readonly string[]): Set<string> {
  const output = execFileSync("ldd", programs, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  return new Set([...output.matchAll(/(\/\S+\.so[.\d]*) \(0x/g)].map(([, path]) => path as string));
}

function writeContainerfile(root: string, lines: readonly string[]): void {
  writeFileSync(join(root, ".containerignore"), "Containerfile\n");
  writeFileSync(join(root, "Containerfile"), `${["FROM scratch", "COPY . /", ...lines].join("\n")}\n`);
}
