/** Lines of code, lists and headings keep their breaks. */
const isProse = (line: string): boolean => /^\S/.test(line) && !/^[A-Z][a-z]+(?: [a-z]+)?:$/.test(line);

/** Breaks the paragraphs of a text anew, at a width. */
export function wrapProse(text: string, columns: number): string {
  const lines: string[] = [];
  let paragraph: string[] = [];
  const endParagraph = () => {
    if (paragraph.length > 0) lines.push(...wrapWords(paragraph.join(" "), columns));
    paragraph = [];
  };
  for (const line of text.split("\n")) {
    if (isProse(line)) paragraph.push(line);
    else {
      endParagraph();
      lines.push(line);
    }
  }
  endParagraph();
  return lines.join("\n");
}

/** Breaks a text at spaces into lines of at most `columns`, if no word is longer. */
export function wrapWords(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= columns) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
