import type { Frame } from "../frame.ts";
import { html, inline, link, type Safe } from "../html.ts";
import { alternate, layout } from "../layout.ts";
import { table } from "../table.ts";
import type { ErrorEntry, HeaderEntry } from "./describe-responses.ts";
import { entryTable } from "./entry-table.ts";
import type { Endpoint, ObjectTable, Reference } from "./reference.ts";

/** The API reference as an HTML page. */
export function referencePage(reference: Reference, frame: Frame): Safe {
  const { links } = frame;
  return layout(frame, {
    title: "API reference: Credence",
    description: "The three endpoints of V1 (deprecated): parameters, fields, examples, errors and headers.",
    current: "docs",
    head: alternate("text/markdown", links.markdown),
    main: html`<section>
<h1>API</h1>
<p>Three addresses, all GET, all JSON, ${needsKey(reference) ? "with a key" : "no key needed"}.</p>
${endpointTable(reference)}
${example("first", "In a terminal", reference.endpoints[1]?.snippets[0]?.code ?? "", "request", 2)}
<p class="small">For programs: <a href="${links.openapi}">openapi.json</a>, <a href="${links.markdown}">docs.md</a>, <a href="${links.llms}">llms.txt</a>. ${inline(reference.intro)}</p>
</section>
<div class="cols lead">
${contents(reference)}
<div>
${reference.endpoints.map((endpoint) => endpointSection(endpoint, !needsKey(reference)))}
<section aria-labelledby="fields">
<h2 id="fields">Fields</h2>
<p>Every field is always present, in the order shown. Scores are in points.</p>
${reference.objects.map(objectSection)}
</section>
<section aria-labelledby="keys">
<h2 id="keys">Keys</h2>
${paragraphs(reference.keys.paragraphs)}
${example("key-example", "Request with a key", reference.keys.example, "request")}
</section>
${errors(reference)}
${headers(reference.headers)}
</div>
</div>`,
  });
}

const paragraphs = (texts: readonly string[]): Safe[] => texts.map((text) => html`<p>${inline(text)}</p>`);

/** Code under its heading, with a button that copies it. */
const example = (id: string, title: string, code: string, noun: string, level: 2 | 3 = 3): Safe =>
  html`<div class="head">${level === 2 ? html`<h2>${title}</h2>` : html`<h3>${title}</h3>`}${copyButton(id, noun)}</div>
<pre><code id="${id}">${code}</code></pre>`;

const copyButton = (id: string, noun: string): Safe =>
  html`<button class="plain" type="button" data-copy-from="${id}" hidden>Copy<span class="vh"> the ${noun}</span></button>`;

const needsKey = ({ settings }: Reference): boolean => settings.authMode === "required";

/** Without links that open a response if a browser, which sends no key, would be refused. */
function endpointTable(reference: Reference): Safe {
  const isOpen = !needsKey(reference);
  const rows = reference.endpoints.map(({ id, path, title, exampleUrl }) => ({
    head: html`<a href="${link(`#${id}`)}"><code>${path}</code></a>`,
    second: html`${title}`,
    cell: isOpen ? html`<a href="${link(exampleUrl)}">Open<span class="vh"> an example: ${title}</span></a>` : html``,
  }));
  return table({ text: "Endpoints", isHidden: true }, ["Address", "What you get", isOpen ? "Try it" : ""], rows, "eps");
}

function contents({ endpoints }: Reference): Safe {
  const entries = [
    ...endpoints.map(({ id, name }) => [id, name]),
    ["fields", "Fields"],
    ["keys", "Keys"],
    ["errors", "Errors"],
    ["headers", "Headers"],
  ] as [string, string][];
  return html`<nav aria-label="On this page"><ul>${entries.map(
    ([id, title]) => html`<li><a href="${link(`#${id}`)}">${title}</a></li>`,
  )}</ul></nav>`;
}

function endpointSection(endpoint: Endpoint, isOpen: boolean): Safe {
  const { id, title, path, parameters, response, errors } = endpoint;
  const [first, ...others] = endpoint.snippets;
  return html`<section aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
<p class="path"><b>GET</b> <code>${path}</code> <span class="tag">deprecated</span></p>
${paragraphs(endpoint.paragraphs)}
<h3>Parameters</h3>
${entryTable({ text: "Parameters", isHidden: true }, ["Name", "In, type", "Meaning"], parameters)}
${first && example(`${id}-request`, "Request", first.code, "request")}
${isOpen && html`<p class="small"><a href="${link(endpoint.exampleUrl)}">Open this response</a> in the browser.</p>`}
<div>${others.map(
    ({ title, language, code }) =>
      html`<details><summary>${title}</summary><pre><code id="${id}-${language}">${code}</code></pre><p>${copyButton(`${id}-${language}`, `${title} example`)}</p></details>`,
  )}</div>
<h3>Response</h3>
${entryTable({ text: "Response", isHidden: true }, ["Field", "Type", "Meaning"], response)}
${example(`${id}-response`, "Example response", endpoint.example, "response")}
<p class="small soft">Errors: ${errors.map((status, index) => html`${index > 0 && ", "}<a href="${link(`#error-${status}`)}">${status}</a>`)}.</p>
</section>
`;
}

const objectSection = ({ id, name, intro, fields }: ObjectTable): Safe => html`<section aria-labelledby="${id}">
<h3 id="${id}">${name}</h3>
<p>${inline(intro)}</p>
${entryTable({ text: `Fields: ${name}`, isHidden: true }, ["Field", "Type", "Meaning"], fields)}
</section>
`;

function errors({ errors: entries, errorFields }: Reference): Safe {
  const firsts = new Set(entries.map(({ status }) => entries.find((entry) => entry.status === status)));
  const rowOf = (entry: ErrorEntry) => ({
    head: firsts.has(entry) ? html`<span id="error-${entry.status}">${entry.status}</span>` : html`${entry.status}`,
    second: html`<code>${entry.code}</code>`,
    cell: html`<p>${inline(entry.meaning)}</p><p class="small soft">Example: <code>${entry.body}</code></p>`,
  });
  return html`<section aria-labelledby="errors">
<h2 id="errors">Errors</h2>
<p>Every error has the same body, as <code>application/json</code>.</p>
${entryTable({ text: "Body of an error" }, ["Field", "Type", "Meaning"], errorFields)}
${table({ text: "All errors" }, ["Status", "`code`", "Meaning"], entries.map(rowOf))}
</section>`;
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
