import { execFileSync } from "node:child_process";
import { globSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import manifest from "../../package.json" with { type: "json" };
import { readConfig, VARIABLES } from "../../service/src/core/config/config.ts";
import { testFolder } from "../../service/testing/folder.ts";

// No cluster runs here. The types of Kubernetes find unknown and missing fields; the rest is compared
// with the program and its image.

type Container = {
  name: string;
  image: string;
  env?: { name: string; value: string }[];
  volumeMounts: { name: string; mountPath: string }[];
};
type Pod = {
  enableServiceLinks: boolean;
  securityContext: { runAsUser: number };
  containers: Container[];
  volumes: { name: string; secret?: { items: { path: string }[] } }[];
};
type KubernetesObject = { apiVersion: string; kind: string; spec: { template?: { spec: Pod } } };

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
    const module = apiVersion.includes("/") ? apiVersion : `core/${apiVersion}`;
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
    ...["Deployment", "Deployment", "Job", "PersistentVolumeClaim", "PodDisruptionBudget", "Service"],
  ]);
  expect(compile(objects)).toBe("");
  const misspelt = JSON.parse(JSON.stringify(objects).replace("livenessProbe", "livenesProbe"));
  expect(compile(misspelt)).toContain("'\"livenesProbe\"' does not exist");
});

test("kustomize includes every file, and its settings are valid", () => {
  expect(kustomization.resources.toSorted()).toEqual(["migrate.yaml", "server.yaml", "worker.yaml"]);
  const [{ literals }] = kustomization.configMapGenerator;
  const settings = Object.fromEntries(literals.map((literal: string) => literal.split("=")));
  expect(readConfig(settings).publicUrl).toBe("https://api.example.org");
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
