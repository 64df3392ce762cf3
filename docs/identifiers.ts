export type Identifier = { name: string; line: number };

const TOKEN =
  /#![^\n]*|\/\/[^\n]*|\/\*.*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[\p{ID_Start}$_][\p{ID_Continue}$]*|\d[\w.]*|\s+|./suy;
const REGEXP = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/uy;
/** Template text up to the next expression or the closing backtick. */
const TEMPLATE_TEXT = /(?:\\.|\$(?!\{)|[^`\\$])*(?:`|\$\{)/suy;

const IS_NAME = /^[\p{ID_Start}$_]/u;
const IS_BLANK = /^\s/;
/** After one of these tokens a slash divides; after any other it starts a regular expression. */
const ENDS_VALUE = /^(?:[\p{ID_Start}\d$_"'`]|[)\]}]$)/u;
const KEYWORD_BEFORE_VALUE = /^(?:return|typeof|case|in|of|do|else|void|delete|throw|new|await|yield|instanceof)$/;

/**
 * Lists the identifiers of TypeScript or JavaScript source: no comments, strings, template text or
 * regular expressions.
 */
export function listIdentifiers(source: string): Identifier[] {
  const found: Identifier[] = [];
  /** One number for each open template expression: the braces that are open inside it. */
  const templates: number[] = [];
  let [index, line, before] = [0, 1, ""];

  const take = (pattern: RegExp): string => {
    pattern.lastIndex = index;
    const text = pattern.exec(source)?.[0];
    if (text === undefined || text === '"' || text === "'") throw new SyntaxError(`Line ${line}: unexpected token.`);
    index += text.length;
    line += text.split("\n").length - 1;
    return text;
  };
  const takeTemplateText = (): string => {
    const text = take(TEMPLATE_TEXT);
    if (text.endsWith("{")) templates.push(0);
    return text.endsWith("{") ? "{" : "`";
  };

  while (index < source.length) {
    const startLine = line;
    const isValue = ENDS_VALUE.test(before) && !KEYWORD_BEFORE_VALUE.test(before);
    const isComment = source.startsWith("//", index) || source.startsWith("/*", index);
    const token = source[index] === "/" && !isValue && !isComment ? take(REGEXP) : take(TOKEN);
    if (isComment || IS_BLANK.test(token)) continue;
    before = token;
    const depth = templates.length - 1;
    if (token === "`") before = takeTemplateText();
    else if (token === "{" && depth >= 0) templates[depth] = (templates[depth] as number) + 1;
    else if (token === "}" && depth >= 0 && templates[depth] === 0) {
      templates.pop();
      before = takeTemplateText();
    } else if (token === "}" && depth >= 0) templates[depth] = (templates[depth] as number) - 1;
    else if (IS_NAME.test(token)) found.push({ name: token, line: startLine });
  }
  return found;
}
