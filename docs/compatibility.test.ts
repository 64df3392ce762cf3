import { expect, test } from "vitest";
import { type Works, worksOf } from "../conformance/testing/old-client.ts";
import { OLD_CLIENTS } from "../conformance/testing/old-clients.ts";
import { credential, person, wallet } from "../service/testing/people.ts";
import { serving } from "../service/testing/serving.ts";
import { read } from "./tables.ts";

// The code and the figures of documents about old clients.

const examples = new Map(
  [...read("docs/COMPATIBILITY.md").matchAll(/^```js (\w+)\n(.*?)^```/gms)].map(([, name = "", code = ""]) => [
    name,
    code,
  ]),
);

/** Runs an example as a module, with these constants before it, and returns one of its own. */
async function run(example: string, constants: Record<string, unknown>, result: string): Promise<unknown> {
  const before = Object.entries(constants).map(([name, value]) => `const ${name} = ${JSON.stringify(value)};\n`);
  const code = `${before.join("")}${examples.get(example)}\nexport { ${result} as result };\n`;
  const module: { result: unknown } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  return module.result;
}

const social = (follower_count: string | null) => ({
  ...{ follower_count, following_count: null, location: null, profile_bio: null, profile_display_name: null },
  ...{ profile_image_url: null, profile_name: null, profile_url: null, source: "lens" },
});
const ada = person(
  1,
  {
    ...{ display_name: "Ada Okafor", main_wallet: wallet(1), verified_wallets: [wallet(1)], score: 82 },
    passport_socials: [social("1024"), social(null), social("8")],
  },
  { credentials: [credential("1")] },
);
const others = [
  person(2, { display_name: null, main_wallet: wallet(2), verified_wallets: [wallet(2)] }),
  person(3, { display_name: "Adam", score: 79 }),
  person(4, { display_name: "Adaeze", score: 90, human_checkmark: false }),
  person(5, { display_name: "Adanna", score: null }),
];
const { address: server } = await serving([ada, ...others]);

test("the page has these examples", () => {
  expect([...examples.keys()]).toEqual(["credentials", "user", "counts", "person", "people"]);
});

test("credentials", async () => {
  expect(await run("credentials", { server, wallet: wallet(1) }, "credentials")).toEqual([credential("1")]);
  expect(await run("credentials", { server, wallet: "nobody" }, "credentials")).toEqual([]);
  const failing = run("credentials", { server: `${server}/api/v9`, wallet: wallet(1) }, "credentials");
  await expect(failing).rejects.toThrow("V1 answers 400");
});

test("user", async () => {
  const names = [ada, ...others.slice(0, 1)].map(({ passport }) => run("user", { passport }, "name"));
  expect(await Promise.all(names)).toEqual(["Ada Okafor", wallet(2)]);
  expect(await run("user", { passport: person(6, { display_name: null }).passport }, "name")).toBe("Passport 6");
});

test("counts", async () => {
  expect(await run("counts", { passport: ada.passport }, "followers")).toBe(1032);
  expect(await run("counts", { passport: person(6).passport }, "followers")).toBe(0);
});

test("person", async () => {
  expect(await run("person", { server, wallet: wallet(1) }, "passport")).toEqual(ada.passport);
  expect(await run("person", { server, wallet: wallet(9) }, "passport")).toBeNull();
  const failing = run("person", { server: `${server}/api/v9`, wallet: wallet(1) }, "passport");
  await expect(failing).rejects.toThrow("V1 answers 400");
});

test("people", async () => {
  const found = (await run("people", { server, name: "ada" }, "people")) as { passport_id: number }[];
  expect(found.map(({ passport_id }) => passport_id)).toEqual([1]);
});

/** The figures in a sentence of a document. */
const figures = (file: string, sentence: RegExp): number[] | undefined =>
  sentence.exec(read(file).replaceAll(/\s+/g, " "))?.slice(1).map(Number);

test("docs/TAKE-OVER.md says how many probes call V1 at /api/v2", () => {
  const count = OLD_CLIENTS.filter(({ targets }) => targets.some((target) => target.includes("/api/v2/"))).length;
  const sentence = /: (\d+) of the (\d+) probes of \[COMPATIBILITY\.md\]\(COMPATIBILITY\.md\) do\./;
  expect(figures("docs/TAKE-OVER.md", sentence)).toEqual([count, OLD_CLIENTS.length]);
});

test("docs/DECISIONS.md says how many probes work with the prefix", () => {
  const works: Works[] = ["as is", "with the prefix"];
  const working = OLD_CLIENTS.filter((client) => works.includes(worksOf(client))).length;
  const sentence = /With V1 at `\/api\/v2`, (\d+) of (\d+) probes of public clients work/;
  expect(figures("docs/DECISIONS.md", sentence)).toEqual([working, OLD_CLIENTS.length]);
});

test("docs/COMPATIBILITY.md names the probe that asks with a number of another service", () => {
  const numbers = OLD_CLIENTS.filter(({ sendsForeignId }) => sendsForeignId).map(({ number }) => number);
  expect(figures("docs/COMPATIBILITY.md", /Nothing can help the client of probe (\d+):/)).toEqual(numbers);
});
