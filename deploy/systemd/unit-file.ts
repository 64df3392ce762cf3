import { readFileSync } from "node:fs";

/** A unit file: the values of each setting, in order. Sections are not distinguished. */
export type Unit = ReadonlyMap<string, readonly string[]>;

export function readUnit(path: string): Unit {
  const unit = new Map<string, string[]>();
  for (const [, name = "", value = ""] of readFileSync(path, "utf8").matchAll(/^(\w+)=(.*)$/gm)) {
    unit.set(name, [...(unit.get(name) ?? []), value]);
  }
  return unit;
}

/** The only value of a setting. */
export function onlyValueOf(unit: Unit, name: string): string {
  const [value, ...others] = unit.get(name) ?? [];
  if (value === undefined || others.length > 0) throw new Error(`Expected ${name} once.`);
  return value;
}

/** Lines of NAME=value, as in an environment file. */
export const parseVariables = (lines: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    lines
      .filter((line) => line.includes("="))
      .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
