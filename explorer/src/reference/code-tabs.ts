import { html, type Safe } from "../html.ts";

type Tab = { name: string; code: Safe };

/** Code in several languages or states. Radio buttons, so that no script is needed; print shows all. */
export function codeTabs(id: string, legend: string, tabs: readonly Tab[]): Safe {
  const choices = tabs.map(
    ({ name }, index) =>
      html`<input type="radio" name="${id}" id="${id}-${index + 1}"${index === 0 && html` checked`}><label for="${id}-${index + 1}">${name}</label>`,
  );
  const codes = tabs.map(
    ({ name, code }) => html`<pre tabindex="0" aria-label="${legend}: ${name}"><code>${code}</code></pre>
`,
  );
  return html`<fieldset class="tabs"><legend class="vh">${legend}</legend>${choices}
${codes}</fieldset>
`;
}

const KEY = /("[\w ]+")(?=:)/;

/** JSON with its keys in another colour. */
export const jsonCode = (text: string): Safe =>
  html`${text.split(KEY).map((part, index) => (index % 2 === 1 ? html`<span class="k1">${part}</span>` : html`${part}`))}`;
