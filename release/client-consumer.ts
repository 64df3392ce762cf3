import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

// For tests: a project of another person that uses the client.

const root = join(import.meta.dirname, "..");

/** Ours, and an older one, which @arethetypeswrong/core brings along. */
export const COMPILERS = [
  { name: "TypeScript 7", path: join(root, "node_modules/typescript/bin/tsc") },
  { name: "TypeScript 5.6", path: join(root, "node_modules/@arethetypeswrong/core/node_modules/typescript/bin/tsc") },
];

/** Installs the package into an empty folder, without any registry. */
export function installClient(tarball: string, folder: string): void {
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }');
  const options = ["--offline", "--ignore-scripts", "--no-audit", "--no-fund"];
  execFileSync("npm", ["install", ...options, tarball], { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
}

const TSCONFIG = {
  compilerOptions: {
    ...{ target: "es2022", module: "nodenext", moduleResolution: "nodenext", strict: true, skipLibCheck: false },
    ...{ noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, verbatimModuleSyntax: true },
    // The types of browsers and none of Node.
    ...{ lib: ["es2022", "dom"], types: [] },
  },
  files: ["consumer.ts"],
};

const CONSUMER = `import { createClient, type FoundPassport, V1Error } from "credence-client";

declare const process: { argv: string[] };
const connect = (scenario: string) => createClient({ baseUrl: process.argv[2] + "/" + scenario + "/consumer-" + scenario });

function describe(passport: FoundPassport | null): string {
  if (passport === null) return "nobody";
  const [social] = passport.passport_socials;
  const followers: number = social?.followers ?? 0;
  return (passport.passport_profile.display_name ?? "no name") + ", " + followers + " followers";
}

const code = await connect("gone").findPassport(1).catch((error: unknown) => error instanceof V1Error && error.code);
console.log(JSON.stringify([describe(await connect("found").findPassport(1)), describe(await connect("missing").findPassport(1)), code]));
`;

export function writeConsumer(folder: string): void {
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(TSCONFIG));
  writeFileSync(join(folder, "consumer.ts"), CONSUMER);
}
