/**
 * A package to publish: which workspace it is made of, and what is in it beside the compiled
 * program.
 */
export type PackagePlan = {
  name: string;
  workspace: string;
  description?: string;
  /** Files of the workspace, as globs. */
  files: string[];
  /**
   * Workspaces that are part of the package, in its node_modules. They are not published
   * themselves.
   */
  bundled: PackagePlan[];
  /** A package to import in other programs: it has type declarations. */
  isLibrary?: boolean;
};

const CONTRACT: PackagePlan = {
  name: "@credence/contract",
  workspace: "contract",
  files: ["openapi.json", "snapshot.schema.json"],
  bundled: [],
};
const EXPLORER: PackagePlan = { name: "@credence/explorer", workspace: "explorer", files: [], bundled: [] };

export const PACKAGES: PackagePlan[] = [
  {
    name: "credence",
    workspace: "service",
    description: "A self-hosted server for the deprecated V1 Passport and Credentials API.",
    files: ["bin/credence.js", "migrations/*.sql"],
    bundled: [CONTRACT, EXPLORER],
  },
  {
    name: "credence-conformance",
    workspace: "conformance",
    files: ["bin/credence-conformance.js", "README.md"],
    bundled: [],
  },
  { name: "credence-client", workspace: "client", files: ["README.md"], bundled: [], isLibrary: true },
];

type Manifest = Record<string, unknown>;

/** The package.json to publish: that of the workspace, with compiled files in place of sources. */
export function publishedManifest(
  manifest: Manifest,
  { name, description, files, bundled, isLibrary }: PackagePlan,
  readManifest: (workspace: string) => Manifest,
): Manifest {
  const { version, license, type, engines, sideEffects, bin, imports, exports } = manifest;
  const inner = bundled.map((plan) => readManifest(plan.workspace).dependencies as Record<string, string>);
  const dependencies = Object.assign({}, manifest.dependencies, ...inner) as Record<string, string>;
  return {
    name,
    version,
    description: description ?? manifest.description,
    license,
    type,
    engines,
    sideEffects,
    bin,
    files: ["dist", ...new Set(files.map((file) => file.replace(/\/.*/, "")))],
    ...(imports !== undefined && { imports: { "#*.ts": "./dist/*.js" } }),
    ...(exports !== undefined && (isLibrary ? libraryFields : programFields)(exports as Record<string, string>)),
    dependencies: Object.fromEntries(Object.entries(dependencies).sort(([a], [b]) => (a < b ? -1 : 1))),
    ...(bundled.length > 0 && { bundleDependencies: bundled.map((plan) => plan.name) }),
  };
}

const compile = (target: string, extension: string): string =>
  target.replace(/^\.\/src\/(.*)\.ts$/, `./dist/$1${extension}`);

const programFields = (exports: Record<string, string>): Manifest => ({
  exports: Object.fromEntries(Object.entries(exports).map(([path, target]) => [path, compile(target, ".js")])),
});

/** `main` and `types` are for compilers and bundlers that do not know `exports`. */
function libraryFields({ ".": entry = "" }: Record<string, string>): Manifest {
  const [main, types] = [compile(entry, ".js"), compile(entry, ".d.ts")];
  return { main, types, exports: { ".": { types, default: main } } };
}
