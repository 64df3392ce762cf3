import type { ErrorEntry, HeaderEntry } from "./describe-answers.ts";
import { html, link, type Safe } from "./html.ts";
import { inline } from "./inline.ts";
import { layout, type Places } from "./layout.ts";
import type { Endpoint, ObjectTable, Reference } from "./reference.ts";
import { entryTable, table } from "./table.ts";

/** The API reference as a page. It needs no script. */
export function referencePage(reference: Reference, places: Places): Safe {
  return layout({
    title: "API reference: Credence",
    description: "The three endpoints of V1, which is deprecated: parameters, fields, examples, errors and headers.",
    places,
    settings: reference.settings,
    main: html`<section>
<h1>API reference</h1>
<p>${inline(reference.intro)}</p>
<p>Every call is a GET and is answered in JSON. For programs, the same is in <a href="${places.openapi}">openapi.json</a> and, as Markdown, in <a href="${places.markdown}">docs.md</a>.</p>
</section>
<div class="cols">
${contents(reference)}
<div>
${deprecation(reference)}
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
    ["deprecation", "Deprecation"],
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

function deprecation({ deprecation: texts, settings: { successorUrl } }: Reference): Safe {
  return html`<section aria-labelledby="deprecation">
<h2 id="deprecation">Deprecation</h2>
<div class="note">
${paragraphs(texts)}
${successorUrl !== null && html`<p>Its successor is <a href="${link(successorUrl)}">${successorUrl}</a>.</p>`}
</div>
</section>`;
}

function endpointSection({
  id,
  title,
  path,
  paragraphs: texts,
  parameters,
  snippets,
  answer,
  example,
  errors,
}: Endpoint): Safe {
  const [first, ...others] = snippets;
  return html`<section aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
<p class="path"><b>GET</b> <code>${path}</code> <span class="tag">deprecated</span></p>
${paragraphs(texts)}
${entryTable({ text: "Parameters" }, ["Name", "In, type", "Meaning"], parameters)}
<h3>Call</h3>
${first && codeBlock(first.code)}
<div>${others.map((snippet) => html`<details><summary>${snippet.title}</summary>${codeBlock(snippet.code)}</details>`)}</div>
${entryTable({ text: "Answer" }, ["Field", "Type", "Meaning"], answer)}
<h3>Example of an answer</h3>
${codeBlock(example)}
<p class="facts">Errors: ${errors.map((status, at) => html`${at > 0 && ", "}<a href="${link(`#error-${status}`)}">${status}</a>`)}.</p>
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
    cell: html`<p>${inline(entry.meaning)}</p><p class="facts">Example: <code>${entry.body}</code></p>`,
  });
  return html`<section aria-labelledby="errors">
<h2 id="errors">Errors</h2>
<p>Every error has the same shape: a sentence for people and a stable word for programs, as <code>application/json</code>.</p>
${entryTable({ text: "Body of an error" }, ["Field", "Type", "Meaning"], errorFields)}
${table({ text: "All errors" }, ["Status", "`code`", "Meaning"], entries.map(rowOf))}
</section>`;
}

function headers(entries: readonly HeaderEntry[]): Safe {
  const rows = entries.map(({ name, on, meaning, example }) => ({
    head: html`<code>${name}</code>`,
    second: html`${on}`,
    cell: html`<p>${inline(meaning)}</p><p class="facts">Example: <code>${example}</code></p>`,
  }));
  return html`<section aria-labelledby="headers">
<h2 id="headers">Headers</h2>
<p>What answers carry beside their body.</p>
${table({ text: "Headers of an answer", isHidden: true }, ["Header", "On", "Meaning"], rows)}
</section>`;
}
