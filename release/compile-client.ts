import { execFileSync } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { build } from "rolldown";

/**
 * Compiles the client into a folder: one minified file for all runtimes, its source map, and the
 * type declarations.
 */
export async function compileClient(root: string, folder: string): Promise<void> {
  const tsc = [join(root, "node_modules/typescript/bin/tsc"), "-p", "client/tsconfig.build.json", "--outDir", folder];
  execFileSync(process.execPath, tsc, { cwd: root, stdio: "inherit" });
  // Other compilers than ours do not resolve `./file.ts` to a declaration.
  for (const file of globSync("*.d.ts", { cwd: folder })) {
    const text = readFileSync(join(folder, file), "utf8");
    writeFileSync(join(folder, file), text.replaceAll(/(from "\.\/[\w-]+)\.ts"/g, '$1.js"'));
  }
  await build({
    input: join(root, "client/src/client.ts"),
    platform: "neutral",
    output: {
      ...{ file: join(folder, "client.js"), format: "esm", minify: true, sourcemap: true },
      // The same bytes, wherever the repository is.
      sourcemapPathTransform: (path) => `../src/${basename(path)}`,
    },
    logLevel: "warn",
  });
}
