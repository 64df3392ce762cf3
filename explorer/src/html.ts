/** Escaped markup. Only `html` creates it, so text from a request or record is always escaped. */
export class Safe {
  readonly #markup: string;

  private constructor(markup: string) {
    this.#markup = markup;
  }

  /** Called by `html` only; a test checks this. */
  static fromTemplate(markup: string): Safe {
    return new Safe(markup);
  }

  toString(): string {
    return this.#markup;
  }
}

/** A URL with a safe scheme. Only `link` creates it. */
export class Link {
  readonly #url: string;

  private constructor(url: string) {
    this.#url = url;
  }

  static parse(url: string): Link {
    if (!HTTP.test(url) && !RELATIVE.test(url) && !MAILTO.test(url)) {
      throw new Error(`Not an http, https, mailto or relative URL: ${JSON.stringify(url)}`);
    }
    return new Link(url);
  }

  toString(): string {
    return this.#url;
  }
}

const HTTP = /^https?:\/\/\S+$/i;
const MAILTO = /^mailto:[^\s@]+@[^\s@]+$/i;
// A path, query or fragment. Two slashes would name another host. Browsers treat a backslash as a
// slash and drop tabs and newlines.
const RELATIVE = /^(?:[/?#](?!\/)|\.{1,2}\/)[^\s\\]*$/;

/** Throws unless the URL is http, https, mailto or relative. Rejects `javascript:`, for example. */
export const link = Link.parse;

export type Value = Safe | Link | readonly Safe[] | string | number | false | null | undefined;

const URL_ATTRIBUTE = /(?:href|src|action)="$/;

/**
 * Renders a template. Strings are escaped for text and quoted attributes; `Safe` arrays are joined;
 * `false`, `null` and `undefined` print nothing. A URL attribute accepts only a `Link`.
 */
export function html(parts: TemplateStringsArray, ...values: Value[]): Safe {
  let markup = parts[0] as string;
  for (let index = 0; index < values.length; index++) {
    const before = parts[index] as string;
    const value = values[index];
    if (before.endsWith("=")) throw new Error(`An attribute needs quotes: …${before.slice(-20)}`);
    if (before.endsWith('="') && URL_ATTRIBUTE.test(before) && !(value instanceof Link)) {
      throw new Error(`A URL needs link(): …${before.slice(-20)}`);
    }
    markup += print(value) + parts[index + 1];
  }
  return Safe.fromTemplate(markup);
}

function print(value: Value): string {
  if (typeof value === "string") return escapeText(value);
  if (value instanceof Safe) return value.toString();
  if (value === false || value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  if (value instanceof Link) return escapeText(value.toString());
  return value.map(print).join("");
}

const SPECIAL = /[&<>"'\r\0]/;
const EACH_SPECIAL = /[&<>"'\r\0]/g;
const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  // An HTML parser converts an unescaped carriage return to a line feed, and drops or replaces NUL.
  "\r": "&#13;",
  "\0": "\uFFFD",
};

/** Tests first: most text has nothing to escape, and a test is cheaper than a replacement. */
function escapeText(text: string): string {
  return SPECIAL.test(text) ? text.replace(EACH_SPECIAL, (character) => ESCAPES[character] as string) : text;
}

/** Renders text in which backticks mark code, as in the descriptions of the OpenAPI document. */
export function inline(text: string): Safe {
  const parts = text.split("`");
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))}`;
}
