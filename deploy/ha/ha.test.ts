import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { testFolder } from "../../service/testing/folder.ts";
import { testRules } from "../testing/prometheus.ts";

// `npm run prove -- cluster` runs these files.

const MAKE = join(import.meta.dirname, "make-cluster.sh");
const RULES = new URL("../prometheus/cluster.rules.yml", import.meta.url);
const MACHINES = ["10.0.0.4", "10.0.0.1", "10.0.0.2"];
const NODES = ["10.0.0.11", "10.0.0.12"];

const template = (name: string): string => readFileSync(join(import.meta.dirname, name), "utf8");
const parseTemplate = (name: string) => parse(template(name), { merge: true });

const TLS = {
  cert: "/etc/credence-ha/machine.pem",
  key: "/etc/credence-ha/machine.key",
  authority: "/etc/credence-ha/ca.pem",
};

test("make-cluster.sh replaces every word in capitals; again, it makes other certificates, and no other passwords", () => {
  const folder = testFolder();
  const make = () => execFileSync(MAKE, [...MACHINES, ...NODES], { cwd: folder });
  const read = (name: string) => readFileSync(join(folder, name), "utf8");
  make();
  for (const file of globSync("{db?,node}/*.{yml,conf,cfg}", { cwd: folder }))
    expect(read(file).replaceAll(/^ *#.*$/gm, "")).not.toMatch(/MACHINE|ADDRESS|PASSWORD/);
  for (const [index, address] of MACHINES.entries()) {
    const name = `db${index + 1}`;
    const [patroni, etcd] = ["patroni", "etcd.conf"].map((file) => parse(read(`${name}/${file}.yml`), { merge: true }));
    expect(patroni).toMatchObject({ name, restapi: { listen: `${address}:8008` } });
    expect(patroni).toMatchObject({ postgresql: { listen: `${address}:5432`, connect_address: `${address}:5432` } });
    expect(patroni.etcd3.hosts).toEqual(MACHINES.map((machine) => `${machine}:2379`));
    expect(patroni.restapi.authentication.password).toMatch(/^[0-9a-f]{48}$/);
    expect(etcd).toMatchObject({ name, "listen-client-urls": `https://${address}:2379` });
    expect(etcd["initial-cluster"]).toBe(MACHINES.map((machine, at) => `db${at + 1}=https://${machine}:2380`).join());
    expect(read(`${name}/nftables.conf`)).toContain(
      `8008 } ip saddr != { ${[...MACHINES, ...NODES].join(", ")} } drop`,
    );
  }
  const servers = MACHINES.map((machine, index) => `  server db${index + 1} ${machine}:5432 check port 8008`).join(
    "\n",
  );
  expect(read("node/haproxy.cfg").split(servers)).toHaveLength(3);

  const files = ["ca.pem", "ca.key", "db2/patroni.yml", "node/haproxy.cfg", "db2/machine.pem", "db2/machine.key"];
  const before = files.map(read);
  make();
  expect(files.map((file, index) => read(file) === before[index])).toEqual([true, true, true, true, false, false]);
  const names = ["-verify_ip", "10.0.0.1", "-verify_hostname", "localhost"];
  execFileSync("openssl", ["verify", "-x509_strict", "-CAfile", "ca.pem", ...names, "db2/machine.pem"], {
    cwd: folder,
  });
  // Python refuses an authority without it.
  const text = execFileSync("openssl", ["x509", "-in", "ca.pem", "-noout", "-text"], { cwd: folder, encoding: "utf8" });
  expect(text).toContain("Certificate Sign, CRL Sign");
});

test("no acknowledged change is lost: etcd's third API, the shortest lease, and strict synchronous replication", () => {
  const { etcd, bootstrap, postgresql } = parseTemplate("patroni.yml");
  expect(etcd).toBeUndefined();
  expect(bootstrap.dcs).toMatchObject({
    ttl: 20,
    synchronous_mode: true,
    synchronous_mode_strict: true,
    failsafe_mode: true,
  });
  expect(postgresql.data_dir).toContain("/17/");
  expect(postgresql.bin_dir).toContain("/17/");
});

test("every request that changes something needs a certificate", () => {
  const { restapi, ctl, etcd3, postgresql } = parseTemplate("patroni.yml");
  const { cert, key, authority } = TLS;
  expect(restapi).toMatchObject({ certfile: cert, keyfile: key, cafile: authority, verify_client: "optional" });
  expect(ctl).toEqual({ cacert: authority, certfile: cert, keyfile: key, authentication: restapi.authentication });
  expect(etcd3).toMatchObject({ protocol: "https", cacert: authority, cert, key });
  const etcd = parseTemplate("etcd.conf.yml");
  const security = { "cert-file": cert, "key-file": key, "trusted-ca-file": authority, "client-cert-auth": true };
  expect(etcd["client-transport-security"]).toEqual(security);
  expect(etcd["peer-transport-security"]).toEqual(security);
  for (const role of ["superuser", "replication", "rewind"])
    expect(postgresql.authentication[role]).toMatchObject({ sslmode: "verify-full", sslcert: cert, sslkey: key });
  expect(postgresql.pg_hba).toEqual([
    "local all postgres peer",
    "hostssl all,replication postgres,replicator,rewinder all scram-sha-256 clientcert=verify-ca",
    "hostssl all all all scram-sha-256",
  ]);
  expect(template("haproxy.cfg")).toContain("\n  default-server check-ssl verify required ca-file");
  expect(template("haproxy.cfg")).toContain("\n  retries 0\n");
});

test("an alert warns 30 days before a certificate expires, and if nothing reports them", async () => {
  const alertname = "CredenceCertificateExpires";
  const series = (machine: string) => `credence_cluster_certificate_days{machine="${machine}",port="8008"}`;
  const labels = { severity: "ticket" };
  const warnings = [
    {
      exp_labels: { ...labels, machine: "10.0.0.1", port: "8008" },
      exp_annotations: { summary: "10.0.0.1:8008 has a certificate for 29 days; -1: it sends none." },
    },
  ];
  const missing = [
    { exp_labels: labels, exp_annotations: { summary: "Nothing reports the certificates of the cluster." } },
  ];
  const input_series = [
    { series: series("10.0.0.1"), values: "30x120 29x120" },
    { series: series("10.0.0.2"), values: "700x240" },
  ];
  const alert_rule_test = [
    { eval_time: "2h", alertname, exp_alerts: [] },
    { eval_time: "4h", alertname, exp_alerts: warnings },
  ];
  const without = [{ eval_time: "2h", alertname, exp_alerts: missing }];
  await testRules(
    [
      { interval: "1m", input_series, alert_rule_test },
      { interval: "1m", input_series: [], alert_rule_test: without },
    ],
    "1m",
    RULES,
  );
});
