/** The static text of every `html` template in a source file, with … for what is put in. Nested templates are listed too. */
export function templatesOf(source: string): string[] {
  const found: string[] = [];
  for (const { index } of source.matchAll(/(?<!`)\bhtml`/g)) {
    let text = "";
    let at = index + "html`".length;
    while (source[at] !== "`") {
      if (source.startsWith("${", at)) {
        at = endOfExpression(source, at + 2);
        text += "…";
      } else {
        text += source[at];
        at += 1;
      }
    }
    found.push(text);
  }
  return found;
}

/** The place after the brace that ends an expression. Strings and templates within may hold braces. */
function endOfExpression(source: string, start: number): number {
  let depth = 1;
  let at = start;
  while (depth > 0) {
    const character = source[at] as string;
    if (character === "{") depth += 1;
    if (character === "}") depth -= 1;
    at = "\"'`".includes(character) ? endOfString(source, at) : at + 1;
  }
  return at;
}

function endOfString(source: string, start: number): number {
  const quote = source[start];
  let at = start + 1;
  while (source[at] !== quote) {
    if (source[at] === "\\") at += 2;
    else if (quote === "`" && source.startsWith("${", at)) at = endOfExpression(source, at + 2);
    else at += 1;
  }
  return at + 1;
}

const FAULTS: readonly (readonly [RegExp, string])[] = [
  // Not the equals sign within a quoted value.
  [/^(?:[^="]|="[^"]*"|"[^"]*")*=(?!")/, "an attribute without double quotes"],
  [/(?:href|src|action)="(?!…")/, "an address that is not the result of link()"],
  [/\sstyle=/i, "an inline style"],
  [/<(?:script|style)\b/i, "a script or a style element"],
  [/\son\w+=/i, "an event handler"],
];

export const faultsOf = (template: string): string[] =>
  FAULTS.filter(([pattern]) => pattern.test(template)).map(([, fault]) => fault);
