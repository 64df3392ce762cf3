import { FLOORS, type Floor, isWorkspace, pathOf, WITHOUT_NODE } from "./floors.ts";

/** The linter's rules for one folder: everything that is not listed is refused. */
function overrideOf([folder, mayImport, packages]: Floor) {
  const allowed = [
    "!./**",
    ...(WITHOUT_NODE.has(folder) ? [] : ["!node:*", "!node:*/**"]),
    ...(isWorkspace(folder)
      ? ["!../**", "../../**"]
      : [`!#${folder}/**`, "!#config.ts", "!#config-values.ts", "!#version.ts"]),
    ...words(mayImport).map((other) =>
      isWorkspace(other) ? `!@credence/${other}/**` : `!#${other.replace("/*", "")}/**`,
    ),
    ...words(packages).flatMap((other) => [`!${other}`, `!${other}/**`]),
  ];
  const may = [...words(mayImport), ...words(packages)].join(", ") || "nothing";
  const message = `${folder} may import ${may}. Other folders are imported as #folder/file.ts. See structure/floors.ts.`;
  return override([`${pathOf(folder)}/**`, "!**/*.test.ts"], ["**", ...allowed], message);
}

const words = (text: string): string[] => text.split(" ").filter((word) => word !== "");

const override = (includes: string[], group: string[], message: string) => ({
  includes,
  linter: {
    rules: {
      style: { noRestrictedImports: { level: "error", options: { patterns: [{ group, message }] } } },
    },
  },
});

/**
 * The part of the linter's configuration that is made from the floor plan. A later override
 * replaces an earlier one.
 */
export function linterRules(): string {
  const unplanned = override(
    ["service/src/**", "!**/*.test.ts"],
    ["**"],
    "This file is in no folder of structure/floors.ts.",
  );
  const singleFiles = [
    override(
      ["service/src/main.ts"],
      ["**", "!#cli/program.ts", "!#terminal/terminal.ts"],
      "main.ts imports cli and nothing else.",
    ),
    override(
      ["service/src/config.ts", "service/src/config-values.ts", "service/src/version.ts"],
      [
        "**",
        "!node:*",
        "!../package.json",
        "!./config-values.ts",
        "!#life-cycle/brownouts.ts",
        "!#life-cycle/calendar.ts",
      ],
      "The configuration imports the calendar of the life cycle, and nothing else of the service.",
    ),
  ];
  // The table goes from the ground up and a folder inside another stands before it: the inner one
  // has to win.
  const overrides = [unplanned, ...singleFiles, ...FLOORS.toReversed().map(overrideOf)];
  return `{\n"overrides": [\n${overrides.map((rule) => JSON.stringify(rule)).join(",\n")}\n]\n}\n`;
}
