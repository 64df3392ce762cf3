import type { Operation, Parameter } from "./openapi.ts";

export type Snippet = { language: "sh" | "js" | "python"; title: string; code: string };

export type Caller = { publicUrl: string; authMode: "optional" | "required" | "open" };

const KEY = "YOUR_KEY";

/** The same call three times: for a shell, for JavaScript and for Python, with the examples of the parameters. */
export function snippetsOf(path: string, operation: Operation, { publicUrl, authMode }: Caller): Snippet[] {
  const url = publicUrl + addressOf(path, operation.parameters);
  const keyed = authMode === "required";
  return [
    { language: "sh", title: "curl", code: curl(url, keyed) },
    { language: "js", title: "JavaScript", code: javascript(JSON.stringify(url), keyed) },
    { language: "python", title: "Python", code: python(JSON.stringify(url), keyed) },
  ];
}

export const exampleOf = ({ example, examples }: Parameter): unknown =>
  example ?? Object.values(examples ?? {})[0]?.value;

function addressOf(path: string, parameters: readonly Parameter[]): string {
  const values = parameters.map((parameter) => [parameter, encodeURIComponent(String(exampleOf(parameter)))] as const);
  const filled = values
    .filter(([parameter]) => parameter.in === "path")
    .reduce((address, [{ name }, value]) => address.replace(`{${name}}`, value), path);
  const query = values.filter(([parameter]) => parameter.in === "query").map(([{ name }, value]) => `${name}=${value}`);
  return query.length === 0 ? filled : `${filled}?${query.join("&")}`;
}

/** In single quotes nothing but a single quote is special to a shell. */
export const curl = (url: string, keyed: boolean): string =>
  `curl -s${keyed ? ` -H 'X-API-KEY: ${KEY}'` : ""} '${url.replaceAll("'", "%27")}'`;

function javascript(url: string, keyed: boolean): string {
  const rest = keyed ? `, {\n  headers: { "X-API-KEY": "${KEY}" },\n}` : "";
  return `const response = await fetch(${url}${rest});
const answer = await response.json();
if (!response.ok) throw new Error(answer.error);
console.log(answer);`;
}

function python(url: string, keyed: boolean): string {
  const request = keyed ? `urllib.request.Request(\n    ${url},\n    headers={"X-API-KEY": "${KEY}"},\n)` : url;
  return `import json
import urllib.request

request = ${request}
with urllib.request.urlopen(request, timeout=10) as response:
    print(json.load(response))`;
}
