import { brief, type Clause, type Context, expectStatus, Mismatch, Skipped } from "../clause.ts";
import type { HttpResponse } from "../client.ts";
import { BAD_KEY, CREDENTIALS, LIST, parse, UNKNOWN_ID } from "../sample.ts";

export const isSwitchedOff = ({ status }: HttpResponse): boolean => status === 410;

/** The responses of every endpoint, also to requests that would be refused for another reason. */
async function requestAll({ client, sample }: Context): Promise<[request: string, HttpResponse][]> {
  if (!isSwitchedOff(sample.list)) throw new Skipped("V1 responds");
  return [
    [LIST, sample.list],
    [`${LIST}/${UNKNOWN_ID}`, await client.request(`${LIST}/${UNKNOWN_ID}`)],
    [CREDENTIALS, await client.request(CREDENTIALS)],
    ["an invalid key", await client.requestWithoutKey(LIST, BAD_KEY)],
    ["DELETE", await client.requestWithoutKey(LIST, {}, "DELETE")],
  ];
}

const codeOf = (response: HttpResponse): string => String(parse(response)?.code ?? brief(response.body));

export const LIFE_CYCLE_CLAUSES: Clause[] = [
  {
    id: "switched-off",
    level: "credence",
    rule: "In a brownout and after the sunset, every request gets 410 with the code brownout or gone, and no-store.",
    why: "Clients tell a rehearsal from the end by the code. A stored 410 would outlive a brownout.",
    check: async (context) => {
      const responses = await requestAll(context);
      const code = codeOf(context.sample.list);
      if (code !== "brownout" && code !== "gone") throw new Mismatch(code, "the code brownout or gone");
      for (const [request, response] of responses) {
        expectStatus(response, 410, request);
        if (codeOf(response) !== code) throw new Mismatch(`${request}: ${codeOf(response)}`, code);
        const caching = response.headers["cache-control"] ?? "nothing";
        if (caching !== "no-store") throw new Mismatch(`${request}: Cache-Control: ${caching}`, "no-store");
        if (response.headers.deprecation === undefined) throw new Mismatch(`${request}: no Deprecation`, "Deprecation");
      }
      return `${responses.length} responses with the code ${code}`;
    },
  },
  {
    id: "brownout-ends",
    level: "credence",
    rule: "In a brownout, Retry-After is the number of seconds until its end, at least 1. After the sunset there is none.",
    why: "A client knows when to try again, and does not try in a loop.",
    check: async (context) => {
      const responses = await requestAll(context);
      for (const [request, response] of responses) {
        const value = response.headers["retry-after"];
        const isValid = codeOf(response) === "brownout" ? /^[1-9]\d*$/.test(value ?? "") : value === undefined;
        if (!isValid)
          throw new Mismatch(`${request}: Retry-After: ${value ?? "nothing"}`, "seconds in a brownout only");
      }
      return `Retry-After: ${context.sample.list.headers["retry-after"] ?? "none"}`;
    },
  },
  {
    id: "deprecation-target",
    level: "credence",
    rule: 'The target of the Link with rel="deprecation" responds with 200, if it is on this server.',
    why: "Clients that notice the deprecation read there what to do.",
    check: async ({ client, sample }) => {
      const [, target = ""] = /<([^>]+)>; rel="deprecation"/.exec(sample.list.headers.link ?? "") ?? [];
      const path = client.pathOf(target);
      if (path === null) throw new Skipped(`on another server: ${brief(target)}`);
      const response = await client.request(path);
      expectStatus(response, 200, target);
      return `${target}, ${response.headers["content-type"] ?? "no content type"}`;
    },
  },
];
