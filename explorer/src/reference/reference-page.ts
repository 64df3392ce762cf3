import type { Frame } from "../frame.ts";
import { html, link, type Safe } from "../html.ts";
import { inline } from "../inline.ts";
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
<h1>API reference</h1>
<p>${inline(reference.intro)}</p>
<p>Every request is a GET and every response is JSON. This reference is also available as an OpenAPI document, <a href="${links.openapi}">openapi.json</a>, as Markdown, <a href="${links.markdown}">docs.md</a>, and as a short text for language models, <a href="${links.llms}">llms.txt</a>.</p>
</section>
<div class="cols lead">
${contents(reference)}
<div>
${reference.endpoints.map(endpointSection)}
<section aria-labelledby="fields">
<h2 id="fields">Fields</h2>
<p>Every field is always present, in the order shown. Scores are in points.</p>
${reference.objects.map(objectSection)}
</section>
<section aria-labelledby="keys">
<h2 id="keys">Keys</h2>
${paragraphs(reference.keys.paragraphs)}
${codeBlock(reference.keys.example)}
</section>
${errors(reference)}
${headers(reference.headers)}
</div>
</div>`,
  });
}

const paragraphs = (texts: readonly string[]): Safe[] => texts.map((text) => html`<p>${inline(text)}</p>`);
const codeBlock = (code: string): Safe => html`<pre><code>${code}</code></pre>`;

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

function endpointSection(endpoint: Endpoint): Safe {
  const { id, title, path, parameters, response, example, errors } = endpoint;
  const [first, ...others] = endpoint.snippets;
  return html`<section aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
<p class="path"><b>GET</b> <code>${path}</code> <span class="tag">deprecated</span></p>
${paragraphs(endpoint.paragraphs)}
${entryTable({ text: "Parameters" }, ["Name", "In, type", "Meaning"], parameters)}
<h3>Request</h3>
${first && codeBlock(first.code)}
<div>${others.map((snippet) => html`<details><summary>${snippet.title}</summary>${codeBlock(snippet.code)}</details>`)}</div>
${entryTable({ text: "Response" }, ["Field", "Type", "Meaning"], response)}
<h3>Example response</h3>
${codeBlock(example)}
<p class="small soft">Errors: ${errors.map((status, at) => html`${at > 0 && ", "}<a href="${link(`#error-${status}`)}">${status}</a>`)}.</p>
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
