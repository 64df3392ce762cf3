/** Tells how a run is going, on standard error. */
export function say(line: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
}

/** On a terminal, in place of the line before; elsewhere not at all. */
export function sayOver(text: string): void {
  if (process.stderr.isTTY)
    process.stderr.write(
      `\r\u001b[K${text
        .trim()
        .split(/[\r\n]/)
        .at(-1)}`,
    );
}
