import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const src = join(root, "service/src");
const WORKSPACE = /^@credence\/(contract|explorer)\/(.*\.ts)$/;

/** The file that an import leads to; null for packages and Node. Types count as much as values. */
function resolveImport(from: string, specifier: string): string | null {
  const [, workspace, path] = WORKSPACE.exec(specifier) ?? [];
  if (workspace !== undefined && path !== undefined) return join(root, workspace, "src", path);
  if (specifier.startsWith("#")) return join(src, specifier.slice(1));
  return specifier.startsWith(".") ? resolve(dirname(from), specifier) : null;
}

export type SourceFile = {
  /** From the root of the repository. */
  path: string;
  lines: number;
  text: string;
  /** Paths of imported files, one for each import. */
  imports: string[];
};

/** The product code: the packages without tests. */
export function readSources(): SourceFile[] {
  const patterns = ["service/src/**/*.ts", "{contract,explorer,conformance,client,bench}/src/**/*.ts"];
  return globSync(patterns, { cwd: root })
    .filter((file) => !file.endsWith(".test.ts"))
    .sort()
    .map((path) => {
      const text = readFileSync(join(root, path), "utf8");
      const imports = [...text.matchAll(/^(?:import|export)\b[^"]*?"([^"]+)"|import\("([^"]+)"\)/gm)].flatMap(
        ([, fixed, dynamic]) => resolveImport(join(root, path), fixed ?? dynamic ?? "") ?? [],
      );
      return { path, text, lines: text.split("\n").length - 1, imports: imports.map((file) => relative(root, file)) };
    });
}

/** The feature of a file, such as `people` or `core/http`; `app` for the composition, null outside the service. */
export function featureOf(path: string): string | null {
  const [, feature, folder] = /^service\/src\/(?:([^/]+)\/)?(?:([^/]+)\/)?/.exec(path) ?? [];
  if (!path.startsWith("service/src/")) return null;
  if (feature === "core") return `core/${folder}`;
  return feature ?? "app";
}
