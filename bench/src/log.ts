/** Logs the progress of a run to standard error. */
export function log(line: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
}

/** Shows the last line of a text in place of the current line. Terminals only. */
export function logProgress(text: string): void {
  const lines = text.trim().split(/[\r\n]/);
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${lines.at(-1)}`);
}
