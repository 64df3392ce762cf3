/** Markup that is safe to send. Only `html` makes it, so no text of a request or a record can pose as markup. */
export class Safe {
  readonly #markup: string;

  private constructor(markup: string) {
    this.#markup = markup;
  }

  /** For `html` alone. A test looks for other callers. */
  static fromTemplate(markup: string): Safe {
    return new Safe(markup);
  }

  toString(): string {
    return this.#markup;
  }
}

/** An address that is safe to follow. Only `link` makes it. */
export class Link {
  readonly #address: string;

  private constructor(address: string) {
    this.#address = address;
  }

  static parse(address: string): Link {
    if (!HTTP.test(address) && !RELATIVE.test(address)) {
      throw new Error(`Not an http, https or relative address: ${JSON.stringify(address)}`);
    }
    return new Link(address);
  }

  toString(): string {
    return this.#address;
  }
}

const HTTP = /^https?:\/\/\S+$/i;
// A path, query or fragment. Two slashes would name another host; browsers read a backslash as a slash and drop tabs and newlines.
const RELATIVE = /^(?:[/?#](?!\/)|\.{1,2}\/)[^\s\\]*$/;

/** Allows http, https and relative addresses and throws for any other, `javascript:` included. */
export const link = (address: string): Link => Link.parse(address);

export type Value = Safe | Link | readonly Safe[] | string | number | false | null | undefined;

const ADDRESS_ATTRIBUTE = /(?:href|src|action)="$/;

/**
 * A template of markup. Strings and numbers are escaped, for text and for quoted attributes alike. An array of `Safe` is joined;
 * `false`, `null` and `undefined` print nothing. An address attribute takes the result of `link` and nothing else.
 */
export function html(parts: TemplateStringsArray, ...values: Value[]): Safe {
  let markup = parts[0] as string;
  for (let at = 0; at < values.length; at++) {
    const before = parts[at] as string;
    const value = values[at];
    if (before.endsWith("=")) throw new Error(`An attribute needs quotes: …${before.slice(-20)}`);
    if (before.endsWith('="') && ADDRESS_ATTRIBUTE.test(before) && !(value instanceof Link)) {
      throw new Error(`An address needs link(): …${before.slice(-20)}`);
    }
    markup += print(value) + parts[at + 1];
  }
  return Safe.fromTemplate(markup);
}

function print(value: Value): string {
  if (typeof value === "string") return escapeText(value);
  if (value instanceof Safe) return value.toString();
  if (value === false || value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  if (value instanceof Link) return escapeText(value.toString());
  let joined = "";
  for (const item of value) joined += print(item);
  return joined;
}

const SPECIAL = /[&<>"'\r\0]/;
const EACH_SPECIAL = /[&<>"'\r\0]/g;
const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  // A parser turns a plain carriage return into a line feed, and drops NUL or replaces it.
  "\r": "&#13;",
  "\0": "\uFFFD",
};

/** Most text has nothing to escape, and testing is cheaper than replacing. */
function escapeText(text: string): string {
  return SPECIAL.test(text) ? text.replace(EACH_SPECIAL, (character) => ESCAPES[character] as string) : text;
}
