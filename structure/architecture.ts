import { CORE, FEATURES, type Feature, PACKAGES, words } from "./features.ts";
import { featureOf, readSources } from "./imports.ts";

// The parts of ARCHITECTURE.md that are written from the table and the code.

const SIDES: Readonly<Record<Feature["side"], string>> = { serve: "serve", manage: "manage", both: "serve, manage" };
const list = (text: string): string => words(text).join(", ") || "–";
/** The tables that hold data. `lock_…` are names of locks. */
const tablesOf = ({ tables }: Feature): string =>
  words(tables)
    .filter((table) => !table.startsWith("lock_"))
    .map((table) => `\`${table}\``)
    .join(" ") || "–";
/** Rounded, so that few changes of the code change the text. */
const print = (lines: number): string => (Math.round(lines / 500) * 500).toLocaleString("en");

const sources = readSources().filter(({ path }) => path.startsWith("service/src/"));
const linesOf = (name: string): number =>
  sources.filter(({ path }) => featureOf(path) === name).reduce((sum, { lines }) => sum + lines, 0);

function featureTable(): string {
  const rows = FEATURES.map(
    (feature) =>
      `| \`${feature.name}\` | ${feature.gives} | ${SIDES[feature.side]} | ${tablesOf(feature)} | ${list(feature.mayImport)} |\n`,
  );
  return `| Feature | Gives to whom | Sides | Tables | May import |\n|---|---|---|---|---|\n${rows.join("")}`;
}

function coreTable(): string {
  const rows = CORE.map(
    (folder) => `| \`${folder.name}\` | ${folder.gives} | ${tablesOf(folder)} | ${list(folder.mayImport)} |\n`,
  );
  const packages = PACKAGES.map(
    ({ path, gives, mayImport }) => `| \`${path}/\` | ${gives} | – | ${list(mayImport)} |\n`,
  );
  return `| Folder | Holds | Tables | May import |\n|---|---|---|---|\n${rows.join("")}${packages.join("")}`;
}

/** A feature and everything that it may import. */
function closureOf(...names: string[]): string[] {
  const found = new Set<string>();
  const add = (name: string): void => {
    if (found.has(name)) return;
    found.add(name);
    for (const other of words(FEATURES.find((feature) => feature.name === name)?.mayImport ?? "")) {
      if (!other.startsWith("@")) add(other);
    }
  };
  for (const name of names) add(name);
  return FEATURES.map(({ name }) => name).filter((name) => found.has(name));
}

/** The smallest server: what V1 alone needs. */
function smallestServer(): string {
  const core = CORE.reduce((sum, { name }) => sum + linesOf(name), 0);
  const all = sources.reduce((sum, { lines }) => sum + lines, 0);
  const rowOf = (what: string, names: readonly string[], extra = 0) => {
    const lines = names.reduce((sum, name) => sum + linesOf(name), extra);
    return `| ${what} | ${names.map((name) => `\`${name}\``).join(", ")} | ${print(lines)} |\n`;
  };
  const serving = closureOf("v1");
  const filling = closureOf("snapshots").filter((name) => !serving.includes(name));
  const others = FEATURES.map(({ name }) => name).filter((name) => ![...serving, ...filling].includes(name));
  return `| To | Read | Lines, about |
|---|---|---|
| know what all use | \`core\` | ${print(core)} |
${rowOf("answer V1", serving)}${rowOf("fill it by an import", filling)}${rowOf("only as needed", others)}| start it all | \`app\`, \`cli.ts\`, \`main.ts\` | ${print(linesOf("app"))} |
| | all of \`service/src\` | ${print(all)} |
`;
}

const PARTS: Readonly<Record<string, () => string>> = {
  features: featureTable,
  core: coreTable,
  "what V1 alone needs": smallestServer,
};

/** The text of ARCHITECTURE.md with the written parts in their places. */
export function withTables(text: string): string {
  return Object.entries(PARTS).reduce((result, [name, write]) => {
    const [begin, end] = [`<!-- ${name}: written by \`npm run structure\` -->\n`, `<!-- end of ${name} -->\n`];
    const [from, to] = [result.indexOf(begin) + begin.length, result.indexOf(end)];
    if (from < begin.length || to === -1) throw new Error(`ARCHITECTURE.md has no place for: ${name}`);
    return `${result.slice(0, from)}\n${write()}\n${result.slice(to)}`;
  }, text);
}
