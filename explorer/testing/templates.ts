/** The static text of every `html` template, nested ones included, with … for each expression. */
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

/** The index after the closing brace of an expression. Its strings may contain braces. */
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
  // Ignores an equals sign within a quoted value.
  [/^(?:[^="]|="[^"]*"|"[^"]*")*=(?!")/, "an attribute without double quotes"],
  [/(?:href|src|action)="(?!…")/, "a URL that is not the result of link()"],
  [/\sstyle=/i, "an inline style"],
  [/<(?!script src="…" defer><\/script>)(?:script|style)\b/i, "an inline script or a style element"],
  [/\son\w+=/i, "an event handler"],
];

export const faultsOf = (template: string): string[] =>
  FAULTS.filter(([pattern]) => pattern.test(template)).map(([, fault]) => fault);
