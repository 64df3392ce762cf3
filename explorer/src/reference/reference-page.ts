import type { Frame } from "../frame.ts";
import { html, inline, link, type Safe } from "../html.ts";
import { alternate, endTime, layout } from "../layout.ts";
import { describeOtherPaths } from "../settings.ts";
import { table } from "../table.ts";
import { codeTabs, jsonCode } from "./code-tabs.ts";
import type { ErrorEntry, HeaderEntry } from "./describe-responses.ts";
import { entryTable } from "./entry-table.ts";
import { type Endpoint, type ObjectTable, printJson, type Reference } from "./reference.ts";

/** The API reference as an HTML page: prose, and beside it requests and responses. */
export function referencePage(reference: Reference, frame: Frame): Safe {
  const { links, hasEnded } = frame;
  return layout(frame, {
    title: "API reference: Credence",
    description: "The three endpoints of V1 (deprecated): parameters, fields, examples, errors and headers.",
    current: "docs",
    head: alternate("text/markdown", links.markdown),
    hasStrip: !hasEnded,
    main: html`<section class="card"><div class="stack duo">
<div class="stack"><h1>API</h1>
${introduction(reference, frame)}
<p class="acts"><a class="button ghost" href="${links.markdown}">Everything as Markdown: docs.md</a><a class="button ghost" href="${links.openapi}">openapi.json</a><a class="button ghost" href="${links.llms}">llms.txt</a></p></div>
<div class="stack">${hasEnded ? html`<pre><code>${errorCode(reference, "410", true)}</code></pre>` : firstRequest(reference)}</div>
</div></section>
${contents(reference)}
${reference.endpoints.map((endpoint) => endpointSection(endpoint, reference, hasEnded))}
<section aria-labelledby="fields">
<h2 id="fields">Fields</h2>
<p>A field is always present unless it says otherwise. The order is that of the table. Scores are in points.</p>
${reference.objects.map(objectDetails)}</section>
${errors(reference, hasEnded)}
${headers(reference.headers)}`,
  });
}

const needsKey = ({ settings }: Reference): boolean => settings.authMode === "required";

function introduction(reference: Reference, { settings, links, hasEnded }: Frame): Safe {
  if (hasEnded)
    return html`<p><b>V1 has ended.</b> Every request gets 410${settings.sunsetAt !== null && html` since ${endTime(settings.sunsetAt)}`}. This page stays for those who kept responses. <a href="${links.deprecation}">What to do now</a></p>`;
  const others = describeOtherPaths(settings);
  return html`<p>Three addresses, all GET, all JSON, ${needsKey(reference) ? "with a key" : "no key needed"}. V1 is frozen: no field is ever added or removed.${others !== null && html` ${inline(others)}`}</p>`;
}

const firstRequest = ({ endpoints, keys }: Reference): Safe =>
  html`<pre><code>${endpoints[1]?.snippets[0]?.code ?? ""}</code></pre>
<p class="small">${inline(keys.paragraphs.join(" "))}</p>`;

function contents({ endpoints }: Reference): Safe {
  const entries = [
    ...endpoints.map(({ id, name }) => [id, name]),
    ["fields", "Fields"],
    ["errors", "Errors"],
    ["headers", "Headers"],
  ] as [string, string][];
  return html`<nav aria-label="On this page"><ul>${entries.map(
    ([id, title]) => html`<li><a href="${link(`#${id}`)}">${title}</a></li>`,
  )}</ul></nav>`;
}

const paragraphs = (texts: readonly string[]): Safe[] => texts.map((text) => html`<p>${inline(text)}</p>`);

/** Errors whose bodies are shown beside an endpoint, if it sends them. */
const SHOWN_BESIDE = ["404", "410", "429"];

function endpointSection(endpoint: Endpoint, reference: Reference, hasEnded: boolean): Safe {
  const { id, title, path, parameters, response, snippets, example } = endpoint;
  const success = { name: hasEnded ? "200, until the end" : "200", code: jsonCode(example) };
  const statuses = hasEnded ? ["410"] : SHOWN_BESIDE.filter((status) => endpoint.errors.includes(status));
  const failures = statuses.map((status) => ({ name: status, code: errorCode(reference, status, hasEnded) }));
  return html`<section class="duo" aria-labelledby="${id}"><div class="stack">
<h2 id="${id}">${title}</h2>
<p class="path"><span class="pill"><b>GET</b></span> <code>${path}</code></p>
${paragraphs(endpoint.paragraphs)}
<h3>Parameters</h3>
${entryTable({ text: "Parameters", isHidden: true }, ["Name", "In, type", "Meaning"], parameters)}
<h3>Response</h3>
${entryTable({ text: "Response", isHidden: true }, ["Field", "Type", "Meaning"], response)}
<p class="small soft">Errors: ${endpoint.errors.join(", ")}.</p></div>
<div class="stack code">
${codeTabs(
  `${id}-request`,
  "Request",
  snippets.map(({ title, code }) => ({ name: title, code: html`${code}` })),
)}${codeTabs(`${id}-response`, "Response", hasEnded ? [...failures, success] : [success, ...failures])}${note(endpoint, reference, hasEnded)}</div></section>
`;
}

/** Without a link that opens a response if a browser, which sends no key, would be refused. */
const note = ({ exampleUrl }: Endpoint, reference: Reference, hasEnded: boolean): Safe =>
  html`<p class="small soft">${
    hasEnded
      ? "Every request gets 410 now."
      : html`Invented example.${!needsKey(reference) && html` <a href="${link(exampleUrl)}">Open the real response</a>`}`
  }</p>`;

/** The body of an error, below the headers that only errors have. */
function errorCode({ errors, headers }: Reference, status: string, hasEnded: boolean): Safe {
  const entries = errors.filter((error) => error.status === status);
  const code = status === "410" ? (hasEnded ? "gone" : "brownout") : entries[0]?.code;
  const entry = entries.find((error) => error.code === code);
  const own = headers.filter(({ statuses }) => !statuses.includes("200") && statuses.split(", ").includes(status));
  const shown = own.filter(({ name }) => !(hasEnded && name === "Retry-After"));
  return html`${shown.map(({ name, example }) => html`<span class="soft">${name}: ${example}</span>\n`)}${jsonCode(printJson(JSON.parse(entry?.body ?? "null"), 40))}`;
}

const objectDetails = ({ id, name, intro, fields }: ObjectTable, index: number): Safe =>
  html`<details${index === 0 && html` open`}><summary><h3>${name}</h3></summary>
<p id="${id}">${inline(intro)}</p>
${entryTable({ text: `Fields: ${name}`, isHidden: true }, ["Field", "Type", "Meaning"], fields)}
</details>
`;

const BODIES = ["401", "404", "410", "429", "503"];

function errors(reference: Reference, hasEnded: boolean): Safe {
  const rowOf = ({ status, code, meaning }: ErrorEntry) => ({
    head: html`${status}`,
    second: html`<code>${code}</code>`,
    cell: html`<p>${inline(meaning)}</p>`,
  });
  const bodies = (hasEnded ? ["410"] : BODIES).map((status) => ({
    name: status,
    code: errorCode(reference, status, hasEnded),
  }));
  return html`<section class="duo" aria-labelledby="errors"><div class="stack">
<h2 id="errors">Errors</h2>
<p>Every error has the same body: a sentence for people, and a stable <code>code</code> for programs.</p>
${entryTable({ text: "Body of an error", isHidden: true }, ["Field", "Type", "Meaning"], reference.errorFields)}
${table({ text: "All errors", isHidden: true }, ["Status", "`code`", "Meaning"], reference.errors.map(rowOf))}</div>
<div class="stack code">
${codeTabs("error-bodies", "Body of an error", bodies)}</div></section>`;
}

function headers(entries: readonly HeaderEntry[]): Safe {
  const rows = entries.map(({ name, statuses, meaning, example }) => ({
    head: html`<code>${name}</code>`,
    second: html`${statuses}`,
    cell: html`<p>${inline(meaning)}</p><p class="small soft">Example: <code>${example}</code></p>`,
  }));
  return html`<section aria-labelledby="headers">
<h2 id="headers">Headers</h2>
${table({ text: "Response headers", isHidden: true }, ["Header", "Statuses", "Meaning"], rows)}
</section>`;
}
