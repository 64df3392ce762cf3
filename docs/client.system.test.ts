import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { VARIABLES } from "../service/src/core/config/variables.ts";
import { inventDemoPeople } from "../service/src/demo/invent/population.ts";
import { testFolder } from "../service/testing/folder.ts";
import { serving } from "../service/testing/serving.ts";
import { patternOf } from "./printed-output.ts";

const root = fileURLToPath(new URL("../", import.meta.url));

/** A block of code, and the block of text after it: its output, or the messages of the compiler. */
type Example = { file: string; name: string; code: string; expected: string };

const PREAMBLE = /^import .*\n\nconst client = .*\n$/;

function listExamples(file: string): Example[] {
  // Blocks in a list are indented.
  const text = readFileSync(join(root, file), "utf8").replaceAll(/^ {3}/gm, "");
  const blocks = [...text.matchAll(/^```([jt]s|text)\n(.*?)^```/gms)];
  const preamble = blocks.find(([, , code = ""]) => PREAMBLE.test(code))?.[2] ?? "";
  return blocks.flatMap(([, language, code = ""], index) => {
    if (language === "text" || code === preamble) return [];
    const [, next, expected = ""] = blocks[index + 1] ?? [];
    expect(next, `The example is followed by its output:\n${code}`).toBe("text");
    const name = `${file.replaceAll(/\W/g, "-")}-${index}.${language}`;
    return [
      { file, name, code: code.includes("import ") ? code : (language === "ts" ? preamble : "") + code, expected },
    ];
  });
}

const examples = ["README.md", "client/README.md", "docs/CLIENT.md"].flatMap(listExamples);

const { address } = await serving(inventDemoPeople(), {
  environment: {
    ...{ PUBLIC_URL: "http://localhost:8080", AUTH_MODE: "open" },
    RATE_LIMIT_ANONYMOUS: VARIABLES.RATE_LIMIT_ANONYMOUS,
  },
});
const folder = testFolder();
mkdirSync(join(folder, "node_modules"));
symlinkSync(join(root, "client"), join(folder, "node_modules/credence-client"));
symlinkSync(join(root, "node_modules/@types"), join(folder, "node_modules/@types"));
writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
for (const { name, code } of examples) {
  writeFileSync(join(folder, name), code.replaceAll("http://localhost:8080", address));
}

/** Compiles all examples at once. Returns the messages of each file. */
async function compile(): Promise<Map<string, string[]>> {
  const compilerOptions = {
    ...{ target: "es2025", module: "nodenext", types: ["node"], noEmit: true, skipLibCheck: true },
    ...{ strict: true, noUncheckedIndexedAccess: true, allowImportingTsExtensions: true },
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  const tsc = join(root, "node_modules/.bin/tsc");
  const { stdout } = await promisify(execFile)(tsc, ["-p", folder, "--pretty", "false"], { cwd: folder }).catch(
    (failed: { stdout: string }) => failed,
  );
  const messages = stdout.split("\n").flatMap((line) => {
    const [, name, message] = /^(\S+?)\(\d+,\d+\): (error .*)$/.exec(line) ?? [];
    return name && message ? [[name, message] as const] : [];
  });
  return new Map(examples.map(({ name }) => [name, messages.flatMap(([file, text]) => (file === name ? [text] : []))]));
}

describe("the examples of the client", async () => {
  const messages = await compile();

  test("there are some, and five mistakes", () => {
    expect(examples.length).toBeGreaterThan(15);
    expect(examples.filter(({ expected }) => expected.startsWith("error TS"))).toHaveLength(3);
    expect(readFileSync(join(root, "docs/CLIENT.md"), "utf8").match(/^## \d\. /gm)).toHaveLength(5);
  });

  test.concurrent.each(examples)("$name", async ({ name, expected }) => {
    if (expected.startsWith("error TS")) {
      // The order of messages of one line is that of the compiler.
      expect(messages.get(name)?.sort()).toEqual(expected.trim().split("\n").sort());
      return;
    }
    expect(messages.get(name)).toEqual([]);
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [name], { cwd: folder }).catch(
      (failed: { stdout: string; stderr: string }) => failed,
    );
    const thrown = /^\w*Error: .*$/m.exec(stderr)?.[0] ?? "";
    const pattern = patternOf(expected.trim());
    expect((stdout + thrown).trim().replaceAll(address, "http://localhost:8080")).toMatch(new RegExp(`^${pattern}$`));
  });
});
