import { PROOFS } from "./proofs.ts";

// Runs a proof at full size: `npm run prove -- NAME [SIZE]`; without a name, lists the proofs. CI runs
// some of them small. `small` is a fiftieth, unless the table says otherwise. A factor of 1 is the
// full size.

const [name = "", size] = process.argv.slice(2);
const proof = PROOFS[name];
if (proof === undefined) {
  const list = Object.entries(PROOFS).map(([known, { feature, size, unit = "people", ciSeconds, shows, found }]) => {
    const inCi = ciSeconds === null ? "by hand" : `in CI, ${ciSeconds} s`;
    const columns = `${known.padEnd(22)}${feature.padEnd(12)}${`${size} ${unit}`.padEnd(18)}${inCi.padEnd(14)}`;
    return `  ${columns}${shows}\n${" ".repeat(68)}${found}`;
  });
  const problem = name === "" ? "" : `There is no proof "${name}".\n`;
  process.stderr.write(`${problem}Usage: npm run prove -- NAME [SIZE|small]\n\n${list.join("\n")}\n`);
  process.exitCode = 2;
} else if (size !== undefined && size !== "small" && !(Number(size) > 0)) {
  process.stderr.write(`The size "${size}" is neither a positive number nor small.\n`);
  process.exitCode = 2;
} else {
  const result = await proof.prove(size === "small" ? (proof.small ?? proof.size / 50) : Number(size ?? proof.size));
  const figure = proof.figure.split(".").reduce<unknown>((value, key) => Object(value)[key], result);
  process.stdout.write(
    `${JSON.stringify(result, null, 2)}\n${proof.shows} ${proof.figure}: ${JSON.stringify(figure)}\n`,
  );
  // Proofs throw on failure, except those whose other figures are still useful.
  if (Object(result).not_met?.length > 0) process.exitCode = 1;
}
