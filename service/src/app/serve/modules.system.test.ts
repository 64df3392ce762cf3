import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const LIST_MODULES = `
const { registerHooks } = await import("node:module");
const urls = [];
registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) });
await import("./run-server.ts");
process.stdout.write(urls.join("\\n"));
`;

test("a server loads no schemas, which would double its modules", () => {
  const cwd = fileURLToPath(new URL(".", import.meta.url));
  const args = ["--input-type=module", "--eval", LIST_MODULES];
  const urls = execFileSync(process.execPath, args, { cwd, encoding: "utf8" }).split("\n");
  expect(urls.length).toBeGreaterThan(200);
  expect(urls.filter((url) => url.includes("/typebox/"))).toEqual([]);
});
