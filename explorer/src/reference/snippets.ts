import { curl, PLACEHOLDER_KEY as KEY } from "../site-links.ts";
import type { Operation, Parameter } from "./openapi.ts";

export type Snippet = { language: "sh" | "js" | "python"; title: string; code: string };

/** An example request in curl, JavaScript and Python, with the examples of the parameters. */
export function snippetsOf(
  path: string,
  operation: Operation,
  settings: { publicUrl: string; authMode: string },
): Snippet[] {
  const url = exampleUrl(path, operation, settings);
  const withKey = settings.authMode === "required";
  return [
    { language: "sh", title: "curl", code: curl(url, withKey) },
    { language: "js", title: "JavaScript", code: javascript(JSON.stringify(url), withKey) },
    { language: "python", title: "Python", code: python(JSON.stringify(url), withKey) },
  ];
}

export const examplesOf = ({ example, examples }: Parameter): unknown[] =>
  examples === undefined ? [example] : Object.values(examples).map(({ value }) => value);

export function exampleUrl(path: string, { parameters }: Operation, { publicUrl }: { publicUrl: string }): string {
  let target = publicUrl + path;
  const query: string[] = [];
  for (const parameter of parameters) {
    const value = encodeURIComponent(String(examplesOf(parameter)[0]));
    if (parameter.in === "path") target = target.replace(`{${parameter.name}}`, value);
    else query.push(`${parameter.name}=${value}`);
  }
  return query.length === 0 ? target : `${target}?${query.join("&")}`;
}

function javascript(url: string, withKey: boolean): string {
  const options = withKey ? `, {\n  headers: { "X-API-KEY": "${KEY}" },\n}` : "";
  return `const response = await fetch(${url}${options});
const body = await response.json();
if (!response.ok) throw new Error(body.error);
console.log(body);`;
}

function python(url: string, withKey: boolean): string {
  const request = withKey ? `urllib.request.Request(\n    ${url},\n    headers={"X-API-KEY": "${KEY}"},\n)` : url;
  return `import json
import urllib.request

request = ${request}
with urllib.request.urlopen(request, timeout=10) as response:
    print(json.load(response))`;
}
