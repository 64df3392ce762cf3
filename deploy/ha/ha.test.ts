import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";

// `npm run prove -- cluster` runs these files.

const read = (name: string): string => readFileSync(join(import.meta.dirname, name), "utf8");
const MACHINES = ["10.0.0.1", "10.0.0.2", "10.0.0.3"];

test("the files name the same machines", () => {
  expect(parse(read("patroni.yml")).etcd.hosts).toEqual(MACHINES.map((machine) => `${machine}:2379`));
  expect(parse(read("etcd.conf.yml"))["initial-cluster"]).toBe(
    MACHINES.map((machine, index) => `db${index + 1}=http://${machine}:2380`).join(),
  );
  const servers = MACHINES.map((machine, index) => `  server db${index + 1} ${machine}:5432 check port 8008`).join(
    "\n",
  );
  expect(read("haproxy.cfg").split(servers)).toHaveLength(3);
});

test("no acknowledged change is lost: etcd's second API, and strict synchronous replication", () => {
  const { etcd3, bootstrap } = parse(read("patroni.yml"));
  expect(etcd3).toBeUndefined();
  expect(bootstrap.dcs).toMatchObject({ synchronous_mode: true, synchronous_mode_strict: true });
  expect(parse(read("etcd.conf.yml"))["enable-v2"]).toBe(true);
});
