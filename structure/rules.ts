import { CORE, FEATURES, type Feature, PACKAGES, type Package, words } from "./features.ts";

/** Code of one kind runs in the same processes, with the same database role. `shared` is used by both sides. */
export type Kind = "shared" | "serve" | "manage" | "commands";

const ofSide = (side: Feature["side"]): string[] =>
  FEATURES.filter((feature) => feature.side === side).map(({ name }) => `#${name}/**`);

/** What code of a kind never imports, whatever its feature may import. */
const REFUSED: Readonly<Record<Kind, readonly string[]>> = {
  serve: [...ofSide("manage"), "#*/manage/**", "#*/commands/**"],
  manage: [...ofSide("serve"), "#*/serve/**", "#*/commands/**"],
  commands: [...ofSide("serve"), "#*/serve/**"],
  shared: [...ofSide("serve"), ...ofSide("manage"), "#*/serve/**", "#*/manage/**", "#*/commands/**"],
};

/** Files beside the folders of the two sides belong to neither. */
const SIDES = ["./serve/**", "./manage/**", "./commands/**"];

type Patterns = readonly string[];

const override = (includes: string[], group: Patterns, message: string) => ({
  includes: [...includes, "!**/*.test.ts"],
  linter: {
    rules: {
      style: { noRestrictedImports: { level: "error", options: { patterns: [{ group, message }] } } },
    },
  },
});

const packagesOf = (text: string): string[] => words(text).flatMap((name) => [`!${name}`, `!${name}/**`]);
const importsOf = (text: string): string[] =>
  words(text).map((name) => (name.startsWith("@") ? `!@credence/${name.slice(1)}/**` : `!#${name}/**`));

/** Files beside and below, but not by way of another folder. */
const NEAR = ["!./**", "./**/../**"];
const NODE = ["!node:*", "!node:*/**"];

/** Everything that is not listed is refused. The last pattern that matches decides. */
function rulesOfFeature({ name, side, mayImport, packages }: Feature) {
  const allowed = ["**", ...NEAR, ...NODE, "!#core/**", ...importsOf(mayImport), ...packagesOf(packages)];
  const path = `service/src/${name}`;
  const rule = (folder: string, kind: Kind, ours: Patterns) =>
    override(
      [`${path}${folder}/**`],
      [...allowed, ...REFUSED[kind], ...ours],
      `${name} may import ${[...words(mayImport), ...words(packages)].join(", ") || "nothing"} and core. This is code of the kind "${kind}". See structure/features.ts.`,
    );
  const [all, commands] = [`!#${name}/**`, `#${name}/commands/**`];
  const rules =
    side === "both"
      ? [
          rule("", "shared", [all, ...["serve", "manage", "commands"].map((kind) => `#${name}/${kind}/**`), ...SIDES]),
          rule("/serve", "serve", [all, `#${name}/manage/**`, commands]),
          rule("/manage", "manage", [all, `#${name}/serve/**`, commands]),
        ]
      : [rule("", side, [all, commands, "./commands/**"])];
  return side === "serve" ? rules : [...rules, rule("/commands", "commands", [all, `#${name}/serve/**`])];
}

function rulesOfCore({ name, mayImport, packages }: Feature) {
  const config = name === "core/config" ? ["!../../../package.json"] : [];
  const allowed = ["**", ...NEAR, ...NODE, `!#${name}/**`, ...importsOf(mayImport), ...packagesOf(packages)];
  const may = [...words(mayImport), ...words(packages)].join(", ") || "nothing";
  return override(
    [`service/src/${name}/**`],
    [...allowed, ...config],
    `${name} may import ${may}, and no feature. See structure/features.ts.`,
  );
}

function rulesOfPackage({ name, path, mayImport, packages }: Package) {
  // The client runs in browsers and other runtimes too.
  const near = name === "client" ? ["!./**"] : ["!./**", ...NODE];
  return override(
    [`${path}/**`],
    ["**", ...near, "!../**", "../../**", ...importsOf(mayImport), ...packagesOf(packages)],
    `${name} may import ${[...words(mayImport), ...words(packages)].join(", ") || "nothing"}. See structure/features.ts.`,
  );
}

/** The composition knows all features, but each side of it only code of its kind. */
function rulesOfComposition() {
  const ours = (...packages: string[]) => [...NEAR, ...NODE, ...packagesOf(packages.join(" "))];
  const all = ["!#core/**", ...FEATURES.map(({ name }) => `!#${name}/**`), "!@credence/contract/**"];
  const see = "See structure/rules.ts.";
  return [
    override(
      ["service/src/app/serve/**"],
      ["**", ...ours("fastify", "pino", "@prometheus-io/client"), ...all, ...REFUSED.serve, "!#app/serve/**"],
      `The serving process loads neither code that manages nor commands. ${see}`,
    ),
    override(
      ["service/src/app/work/**"],
      ["**", ...ours("pino"), ...all, ...REFUSED.manage, "!#app/work/**"],
      `A worker loads neither code that serves nor commands. ${see}`,
    ),
    override(
      ["service/src/app/commands/**"],
      ["**", ...ours("commander"), ...all, ...REFUSED.commands, "!#app/**"],
      `A command of the composition starts processes through app/serve and app/work. ${see}`,
    ),
    override(
      ["service/src/cli.ts"],
      ["**", "!commander", "!#core/**", "!./core/**", "!./app/commands/**", "!./*/commands/**"],
      `cli.ts imports commands and core. ${see}`,
    ),
    override(["service/src/main.ts"], ["**", "!./cli.ts", "!./core/terminal/**"], `main.ts imports cli.ts. ${see}`),
  ];
}

/** The part of the linter's configuration that is made from the table. A later override replaces an earlier one. */
export function linterRules(): string {
  const overrides = [
    override(["service/src/**"], ["**"], "This file is in no feature of structure/features.ts."),
    ...rulesOfComposition(),
    ...CORE.map(rulesOfCore),
    ...FEATURES.flatMap(rulesOfFeature),
    ...PACKAGES.map(rulesOfPackage),
  ];
  return `{\n"overrides": [\n${overrides.map((rule) => JSON.stringify(rule)).join(",\n")}\n]\n}\n`;
}
