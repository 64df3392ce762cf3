import { execFileSync } from "node:child_process";
import { globSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import manifest from "../../package.json" with { type: "json" };
import { readConfig } from "../../service/src/core/config/config.ts";
import { VARIABLES } from "../../service/src/core/config/variables.ts";
import { testFolder } from "../../service/testing/folder.ts";

// No cluster runs here. The types of Kubernetes find unknown and missing fields; the rest is compared
// with the program and its image.

type Container = {
  name: string;
  image: string;
  env?: { name: string; value: string }[];
  ports?: { name: string }[];
  volumeMounts: { name: string; mountPath: string }[];
};
type Pod = {
  enableServiceLinks: boolean;
  securityContext: { runAsUser: number };
  containers: Container[];
  volumes: { name: string; secret?: { items: { path: string }[] } }[];
};
type Template = { metadata: { labels: { app: string } }; spec: Pod };
type KubernetesObject = { apiVersion: string; kind: string; spec: { template?: Template } };
type Expression = { key: string; operator: string; values: string[] };
type PolicySpec = {
  podSelector: { matchLabels?: Record<string, string>; matchExpressions?: Expression[] };
  policyTypes: string[];
  ingress?: { from: unknown[]; ports: { port: string }[] }[];
};
const NO_EXPRESSION: Expression = { key: "", operator: "", values: [] };

const root = join(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(join(import.meta.dirname, file), "utf8");
const kustomization = parse(read("kustomization.yaml"));
const objects: KubernetesObject[] = globSync("*.yaml", { cwd: import.meta.dirname })
  .filter((file) => file !== "kustomization.yaml")
  .flatMap((file) => parseAllDocuments(read(file)).map((document) => document.toJS()));
const pods = objects.flatMap(({ spec }) => spec.template?.spec ?? []);

/** Compiles the objects with the types of Kubernetes. Returns the errors. */
function compile(checked: readonly unknown[]): string {
  const folder = testFolder();
  const program = (checked as KubernetesObject[]).map((object, index) => {
    const { apiVersion, kind } = object;
    const module = apiVersion.includes("/") ? apiVersion.replace(".k8s.io", "") : `core/${apiVersion}`;
    return `import type { ${kind} as Kind${index} } from "kubernetes-types/${module}";
      export const object${index}: Kind${index} = ${JSON.stringify(object)};`;
  });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "objects.ts"), program.join("\n"));
  const options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--types", ""];
  try {
    return execFileSync(join(root, "node_modules/.bin/tsc"), [...options, "objects.ts"], { cwd: folder }).toString();
  } catch (error) {
    return String((error as { stdout: Buffer }).stdout);
  }
}

test("every object has the fields of its kind, and a misspelt one is found", () => {
  expect(objects.map(({ kind }) => kind).sort()).toEqual([
    ...["Deployment", "Deployment", "Job", "NetworkPolicy", "NetworkPolicy", "PersistentVolumeClaim"],
    ...["PodDisruptionBudget", "Service", "Service"],
  ]);
  expect(compile(objects)).toBe("");
  const misspelt = JSON.parse(JSON.stringify(objects).replace("livenessProbe", "livenesProbe"));
  expect(compile(misspelt)).toContain("'\"livenesProbe\"' does not exist");
});

test("kustomize includes every file, and its settings are valid", () => {
  expect(kustomization.resources.toSorted()).toEqual(["migrate.yaml", "network.yaml", "server.yaml", "worker.yaml"]);
  const [{ literals }] = kustomization.configMapGenerator;
  const settings = Object.fromEntries(literals.map((literal: string) => literal.split("=")));
  // The addresses of an ingress are not known here.
  expect(readConfig(settings)).toMatchObject({ publicUrl: "https://api.example.org", trustedProxies: [] });
});

test("a policy limits who reaches each pod, and each port of the server", () => {
  const pods = objects.flatMap(({ spec }) => spec.template ?? []);
  const labels = pods.map(({ metadata }) => metadata.labels.app);
  const policies = objects.filter(({ kind }) => kind === "NetworkPolicy").map(({ spec }) => spec as PolicySpec);
  const [server, others] = policies as [PolicySpec, PolicySpec];
  expect([server, others].map(({ policyTypes }) => policyTypes)).toEqual([["Ingress"], ["Ingress"]]);
  expect(server.podSelector.matchLabels).toEqual({ app: "credence" });
  const [{ key, operator, values } = NO_EXPRESSION] = others.podSelector.matchExpressions ?? [];
  expect([key, operator]).toEqual(["app", "In"]);
  expect(["credence", ...values].sort()).toEqual(labels.sort());
  expect(others.ingress).toBeUndefined();
  const allowed = (server.ingress ?? []).map(({ from, ports }) => [ports.map(({ port }) => port), from]);
  const fromNamespace = (label: string) => ({ namespaceSelector: { matchLabels: { [label]: "allowed" } } });
  expect(allowed).toEqual([
    [["http"], [fromNamespace("credence-ingress")]],
    [["private"], [fromNamespace("credence-metrics"), { podSelector: { matchLabels: { app: "credence-worker" } } }]],
  ]);
  const named = pods.flatMap(({ spec }) => spec.containers).flatMap(({ ports = [] }) => ports.map(({ name }) => name));
  expect(named).toEqual(["http", "private"]);
  const page = readFileSync(join(root, "docs/reference/kubernetes.md"), "utf8");
  for (const label of ["credence-ingress=allowed", "credence-metrics=allowed"]) expect(page).toContain(label);
});

test("pods use this version and its user, known settings, mounted secrets, and no service links", () => {
  expect(pods).toHaveLength(3);
  for (const { enableServiceLinks, securityContext, containers, volumes } of pods) {
    expect(enableServiceLinks).toBe(false);
    expect(readFileSync(join(root, "deploy/container/Containerfile"), "utf8")).toContain(
      `USER ${securityContext.runAsUser}:`,
    );
    const secrets = volumes.flatMap(({ secret }) => secret?.items ?? []).map(({ path }) => path);
    for (const { image, env = [], volumeMounts } of containers) {
      expect(image).toBe(`localhost/credence:${manifest.version}`);
      expect(volumeMounts.map(({ name }) => name).sort()).toEqual(volumes.map(({ name }) => name).sort());
      expect(env.filter(({ name }) => !(name.replace(/_FILE$/, "") in VARIABLES) && !(name in VARIABLES))).toEqual([]);
      const files = env.flatMap(({ value }) => value.match(/^\/run\/secrets\/credence\/(.+)$/)?.[1] ?? []);
      expect(files.sort()).toEqual(secrets.sort());
    }
  }
});
