import { afterEach, onTestFailed } from "vitest";

const MAX_LINES = 30;

/** When a test fails, prints the end of a text, such as the log of a server that the test waited for. */
export function showOnFailure(title: string, read: () => string): void {
  const show = () => {
    const lines = read().trimEnd().split("\n").slice(-MAX_LINES);
    if (lines.join("") === "") return;
    process.stderr.write(`\nThe end of the output of ${title}:\n${lines.map((line) => `  ${line}\n`).join("")}`);
  };
  try {
    onTestFailed(show);
  } catch {
    // Not in a test, but in a file or a `describe`.
    afterEach(({ task }) => {
      if (task.result?.state === "fail") show();
    });
  }
}
