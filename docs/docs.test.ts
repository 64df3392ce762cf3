import { execFile } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { promisify } from "node:util";
import type { Command } from "commander";
import { describe, expect, test } from "vitest";
import packageJson from "../package.json" with { type: "json" };
import { buildProgram } from "../service/src/cli.ts";
import { VARIABLES } from "../service/src/core/config/variables.ts";
import { CORS } from "../service/src/core/http/respond/cors.ts";
import { inventDemoPeople } from "../service/src/demo/invent/population.ts";
import { CHECK_NAMES } from "../service/src/doctor/deployment/diagnose-deployment.ts";
import { serving } from "../service/testing/serving.ts";
import { testTerminal } from "../service/testing/terminal.ts";
import { patternOf } from "./printed-output.ts";

const root = new URL("../", import.meta.url);
const FILES = globSync("**/*.md", { cwd: root, exclude: ["**/node_modules/**", "build/**"] });
const read = (file: string): string => readFileSync(new URL(file, root), "utf8");
/**
 * The code blocks and code spans of a document. contributing.test.ts checks those of the worked
 * examples.
 */
const code = (text: string): string[] =>
  [...text.replace(/^## Worked examples\n.*?(?=^## )/ms, "").matchAll(/```\w*\n(.*?)```|`([^`\n]+)`/gs)].map(
    ([, block, span]) => block ?? span ?? "",
  );
/** The anchors of a document's headings, as GitHub makes them: of a link, its text counts. */
const anchors = (text: string): string[] =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );

describe.each(FILES)("%s", (file) => {
  const text = read(file);

  test("the target of every link exists", () => {
    for (const [, path = "", anchor] of text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)) {
      const target = new URL(path, new URL(file, root));
      expect(existsSync(target), path).toBe(true);
      if (anchor !== undefined) expect(anchors(readFileSync(target, "utf8")), path).toContain(anchor);
    }
  });

  test("every named path of the repository exists", () => {
    const paths = code(text).flatMap(
      (span) =>
        span.match(
          /(?:^|[\s(])((?:contract|explorer|service|conformance|client|bench|deploy|docs|structure|\.ci)\/[\w./-]+|biome\.json)/g,
        ) ?? [],
    );
    const files = code(text).filter((span) => /^[a-z][\w-]*(?:\/[\w.-]+)+\.ts$/.test(span));
    // ARCHITECTURE.md names files of the service without its folder, a README those beside it.
    const exists = (path: string) =>
      [path, `service/src/${path}`, new URL(path, new URL(file, root))].some((named) =>
        existsSync(new URL(named, root)),
      );
    for (const path of [...paths, ...files]) expect(exists(path.replace(/^[\s(]/, "")), path).toBe(true);
  });

  test("every command that writes secrets or personal data to a file makes it readable by its owner only", () => {
    const lines = code(text).flatMap((span) => span.split("\n"));
    const writing = lines.filter((line) =>
      /(keys create|export --person|jq .*rejects\S*|openssl rand) .*> |pg_dump .*--file|genpkey .*-out/.test(line),
    );
    // /backups is in a folder that only its owner can enter: deploy/containers.test.ts.
    for (const line of writing) expect(line).toMatch(/\(umask 077 && |--file=\/backups\//);
  });

  test("every named npm script exists", () => {
    for (const [, script = ""] of text.matchAll(/npm run ([\w:-]+)/g))
      expect(packageJson.scripts).toHaveProperty(script);
  });

  test("npx starts no program that npm would have to look for", () => {
    for (const [, name = ""] of text.matchAll(/npx (?:-\S+ )*([\w@/.-]+)/g))
      expect(Object.keys(packageJson.devDependencies)).toContain(name);
  });

  test("every named command exists, with its options", () => {
    for (const span of code(text)) {
      for (const [, words = ""] of span.matchAll(
        /(?:^|[\s$&])credence ((?:[a-z][a-z-]*|--[a-z-]+)(?: (?:[a-z-]+|--[a-z-]+))*)/gm,
      ))
        expectCommand(words);
    }
  });

  test("every named variable exists", () => {
    const known = [
      ...Object.keys(VARIABLES),
      "DATABASE_URL_FILE",
      "DATABASE_READ_URL_FILE",
      "OPT_OUT_KEY_FILE",
      "HOLDER_KEY_FILE",
      "NO_COLOR",
      "NODE_OPTIONS",
      "NODE_EXTRA_CA_CERTS",
      "NOTIFY_SOCKET",
      // Of deploy/compose/compose.yaml.
      ...["CREDENCE_IMAGE", "POSTGRES_IMAGE", "NGINX_IMAGE", "HTTP_PORT", "HTTPS_PORT", "METRICS_PORT"],
      "METRICS_PORT_2",
      // Of deploy/systemd/back-up.sh, and of certbot.
      ...["BACKUP_DAYS", "BACKUP_COPY_TO", "RENEWED_LINEAGE"],
      ...["CREDENCE_TEST_SCALE", "TEST_DATABASE_URL"],
      // Of other runtimes.
      ...["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "DENO_CERT"],
    ];
    const named = code(text).flatMap((span) => (/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/.test(span) ? [span] : []));
    for (const variable of named) expect(known).toContain(variable);
  });
});

const program = await buildProgram(testTerminal());

function expectCommand(words: string): void {
  let command: Command = program;
  let isValue = false;
  for (const word of words.split(" ")) {
    if (word.startsWith("--")) {
      const known = [...command.options.map((option) => option.long), "--help", "--version"];
      expect(known, `credence ${words}`).toContain(word);
      isValue = command.options.some((option) => option.long === word && option.required);
      continue;
    }
    if (isValue) {
      isValue = false;
      continue;
    }
    const next = command.commands.find((child) => child.name() === word);
    // Arguments follow the last command.
    if (next === undefined && command.commands.length === 0) continue;
    expect(next, `credence ${words}`).toBeDefined();
    command = next as Command;
  }
}

test("docs/reference/settings.md lists every variable once, with its default", () => {
  const rows = [...read("docs/reference/settings.md").matchAll(/^\| `([A-Z0-9_]+)` \| (?:`([^`]*)`|none) \|/gm)];
  expect(rows.map(([, name]) => name).toSorted()).toEqual(Object.keys(VARIABLES).toSorted());
  // The defaults of these two consist of other settings.
  for (const [, name, shown = ""] of rows.filter(([, name]) => name !== "PUBLIC_URL" && name !== "V1_DOCS_URL")) {
    expect(shown, name).toBe(VARIABLES[name as keyof typeof VARIABLES] ?? "");
  }
});

test("settings.env of compose has every setting that compose.yaml does not set, with its default", () => {
  const text = read("deploy/compose/settings.env");
  const compose = read("deploy/compose/compose.yaml");
  const isSet = (name: string) => new RegExp(`^ +${name}(_FILE)?: `, "m").test(compose);
  // The ports are those of the containers.
  const settings = Object.entries(VARIABLES).filter(
    ([name]) => !isSet(name) && !/^(HOST|PORT|PRIVATE_PORT)$/.test(name),
  );
  for (const [name, value] of settings.filter(([name]) => !/^(PUBLIC_URL|HOLDER_REQUESTS)$/.test(name))) {
    expect(text.split("\n")).toContain(`#${name}=${value ?? ""}`);
  }
  expect(text.split("\n").filter((line) => /^#?[A-Z]/.test(line))).toHaveLength(settings.length);
});

test("the documents and nginx have the default rate limits", () => {
  const anonymous = Number(VARIABLES.RATE_LIMIT_ANONYMOUS);
  const keys = Number(VARIABLES.RATE_LIMIT_KEYS);
  const api = read("docs/API.md").replaceAll(/\s+/g, " ");
  const nginx = read("docs/reference/nginx.md").replaceAll(/\s+/g, " ");
  const [, delay = "0"] = /limit_req zone=\w+ burst=\d+ delay=(\d+);/.exec(read("deploy/nginx/server.conf")) ?? [];
  expect
    .soft(api)
    .toContain(
      `A client without a key can spend ${anonymous} points at once, and then ${anonymous / 10} points per second, so at most ${2 * anonymous} in any 10 seconds; a key ${keys.toLocaleString("en")} at once, and then ${keys / 10} per second.`,
    );
  expect.soft(api).toContain(`q=${anonymous};w=10`);
  expect.soft(read("client/README.md")).toContain(`${anonymous} points`);
  expect.soft(api).toContain(`Of requests without a key, ${delay} at once`);
  expect.soft(nginx).toContain(`may send ${delay} requests without a key at once`);
  // A client within its points is not delayed.
  expect.soft(Number(delay)).toBeGreaterThanOrEqual(anonymous);
});

test("nginx lets pages of other sites read the same headers of errors", () => {
  const exposed = CORS[CORS.indexOf("access-control-expose-headers") + 1];
  expect(read("deploy/nginx/http.conf")).toContain(`1       "${exposed}";`);
});

test("conformance/README.md lists every option of the kit", () => {
  const options = [...read("conformance/src/main.ts").matchAll(/^ *(?:\.option\()?"(--[a-z-]+)[ "]/gm)];
  const rows = [...read("conformance/README.md").matchAll(/^\| `(--[a-z-]+)/gm)].map(([, option]) => option);
  expect([...new Set(rows)].toSorted()).toEqual(options.map(([, option]) => option).toSorted());
});

test("docs/reference/faults.md lists every check of `doctor --url`", () => {
  const [, section = ""] = /^## Checks from outside\n(.*?)^If the URL/ms.exec(read("docs/reference/faults.md")) ?? [];
  const names = section.split("\n").flatMap((line) => [...(line.split("|")[1]?.matchAll(/`([^`]+)`/g) ?? [])]);
  expect(names.map(([, name]) => name)).toEqual(CHECK_NAMES);
});

test('every row of "Where is it" in ARCHITECTURE.md names the file that decides a behaviour', () => {
  const [, section = ""] = /^## Where is it\n(.*?)^## /ms.exec(read("ARCHITECTURE.md")) ?? [];
  const [, , ...rows] = section.split("\n").filter((line) => line.startsWith("|"));
  expect(rows.length).toBeGreaterThanOrEqual(12);
  for (const row of rows) expect(row).toMatch(/^\| .*`[\w/-]+\.ts`.* \|$/);
});

describe("against the demo data", async () => {
  const { address } = await serving(inventDemoPeople(), {
    isDemo: true,
    environment: { PUBLIC_URL: "http://localhost:8080" },
  });
  const examples = FILES.flatMap((file) =>
    [...read(file).matchAll(/```console\n(.*?)```/gs)].flatMap(([, block = ""]) =>
      block
        .split(/^\$ /m)
        .slice(1)
        .map((example) => {
          const [command = "", ...output] = example.trimEnd().split("\n");
          return { file, command, output: output.join("\n") };
        }),
    ),
  );

  test("there are curl examples", () => {
    expect(examples.length).toBeGreaterThan(8);
  });

  test.each(examples)("$file: the response to $command is as printed", async ({ command, output }) => {
    expect(command).toMatch(/^curl /);
    const line = command.replaceAll("localhost:8080", new URL(address).host);
    const { stdout } = await promisify(execFile)("bash", ["-c", line]);
    expect(stdout.replaceAll("\r", "").trimEnd()).toMatch(new RegExp(`^${patternOf(output)}$`, "s"));
  });
});
