import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { DatabaseCluster } from "./start-cluster.ts";

const exec = promisify(execFile);

/** curl prints it if it got no response. */
const REFUSED = "000";
const PUT = `-d '{"key":"Zm9v","value":"YmFy"}'`;
const CERTIFIED = "--cert db1/machine.pem --key db1/machine.key";
/** With a certificate that no authority of the cluster has signed. */
const SELF_SIGNED = "--cert own.pem --key own.key";
const MAKE_OWN = `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout own.key -out own.pem \
  -days 2 -subj /CN=db1`;
// Without POST /mpp: Patroni lets everybody send it, and without Citus it does nothing.
const CHANGES = [
  ...["POST reload", "POST restart", "POST switchover", "POST failover", "POST reinitialize", "POST failsafe"],
  ...["POST sigterm", "POST citus", "PATCH config", "PUT config", "DELETE switchover", "DELETE restart"],
];
const toPatroni = (options: string, request: string): string =>
  `${options} -d '{}' -X ${request.replace(" ", " https://HOST:8008/")}`;

/** Requests of a machine that has the certificate of the authority only, and then those of a thief of one part. */
const REQUESTS: readonly [request: string, status: string][] = [
  ["http://HOST:2379/health", REFUSED],
  ["https://HOST:2379/health", REFUSED],
  [`${PUT} https://HOST:2379/v3/kv/put`, REFUSED],
  ["https://HOST:2380/members", REFUSED],
  [`${SELF_SIGNED} https://HOST:2379/health`, REFUSED],
  ["https://HOST:8008/patroni", "200"],
  ...CHANGES.map((change): [string, string] => [toPatroni("", change), "403"]),
  ...CHANGES.map((change): [string, string] => [toPatroni("--user patroni:PASSWORD", change), "403"]),
  [toPatroni(`${SELF_SIGNED} --user patroni:PASSWORD`, "POST reload"), REFUSED],
  [toPatroni(CERTIFIED, "POST reload"), "401"],
  [toPatroni(CERTIFIED, "PATCH config"), "401"],
  // With all of it, as the machines of the cluster themselves.
  [toPatroni(`${CERTIFIED} --user patroni:PASSWORD`, "POST reload"), "202"],
  [`${CERTIFIED} https://HOST:2379/health`, "200"],
  [`${CERTIFIED} https://HOST:2379/v2/keys`, "404"],
];

/** Connections with the right password of a role of Patroni, but without TLS or without a certificate of the cluster. */
const CONNECTIONS: readonly [role: string, password: string, options: string, refusal: RegExp][] = [
  ["postgres", "SUPERUSER", "dbname=postgres sslmode=disable", /no pg_hba.conf entry .* no encryption/],
  ["postgres", "SUPERUSER", "dbname=postgres", /requires a valid client certificate/],
  ["postgres", "SUPERUSER", "dbname=postgres sslcert=own.pem sslkey=own.key", /alert unknown ca/],
  ["rewinder", "REWIND", "dbname=postgres", /requires a valid client certificate/],
  ["replicator", "REPLICATION", "replication=1", /requires a valid client certificate/],
];

/** Tries to change etcd, Patroni and PostgreSQL from a serving machine, without their firewall. Throws if anything is answered otherwise. */
export async function askWithoutCertificate({ files, machines }: DatabaseCluster): Promise<void> {
  const secrets = readFileSync(join(files, "passwords.sed"), "utf8");
  const passwordOf = (name: string) => new RegExp(`^s/${name}_PASSWORD/(.*)/$`, "m").exec(secrets)?.[1] ?? "";
  const ask = async (script: string) =>
    await exec("bash", ["-c", script], { cwd: files }).catch((error: { stdout: string; stderr: string }) => error);
  await exec("bash", ["-c", MAKE_OWN], { cwd: files });
  const wrong: string[] = [];
  for (const { address, run } of machines) {
    const { stdout: behindFirewall } = await ask(`curl -s --max-time 5 http://${address}:2379/health; echo $?`);
    if (behindFirewall !== "28\n") wrong.push(`the firewall of ${address} lets a machine with a node reach etcd`);
    await run("nft delete table inet credence");
    for (const [request, status] of REQUESTS) {
      const filled = request.replace("HOST", address).replace("PASSWORD", passwordOf("REST"));
      const options = "-s --max-time 5 --cacert ca.pem -o /dev/null -w '%{http_code}'";
      const { stdout } = await ask(`curl ${options} ${filled}`);
      if (stdout !== status) wrong.push(`${request} of ${address}: ${stdout} instead of ${status}`);
    }
    for (const [role, name, options, refusal] of CONNECTIONS) {
      const connection = `host=${address} user=${role} sslrootcert=ca.pem sslmode=verify-full ${options}`;
      const { stderr } = await ask(`PGPASSWORD=${passwordOf(name)} psql "${connection}" -c "select 1"`);
      if (!refusal.test(stderr)) wrong.push(`${role} at ${address} with ${options}: ${stderr || "accepted"}`);
    }
    await run("nft -f /etc/nftables-credence.conf");
  }
  if (wrong.length > 0) throw new Error(`Requests without a certificate: ${wrong.join("; ")}`);
}
