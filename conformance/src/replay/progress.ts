const REDRAW_EVERY_MS = 200;
const LINE_EVERY_MS = 10_000;

/**
 * Shows progress on standard error: a line that is redrawn on a terminal, else a line per ten
 * seconds. `totalBytes` is null if the size of the input is unknown.
 */
export function showProgress(totalBytes: number | null): {
  update: (describe: () => string, bytes: number) => void;
  end: () => void;
} {
  const { stderr } = process;
  const startedAt = performance.now();
  let shownAt = startedAt;
  return {
    update: (describe, bytes) => {
      const now = performance.now();
      if (now - shownAt < (stderr.isTTY ? REDRAW_EVERY_MS : LINE_EVERY_MS)) return;
      shownAt = now;
      const text = `${describe()}${remaining(bytes, totalBytes, now - startedAt)}`;
      // A line that wraps cannot be redrawn.
      stderr.write(stderr.isTTY ? `\r\x1b[K${text.slice(0, (stderr.columns || 80) - 1)}` : `${text}\n`);
    },
    end: () => void (stderr.isTTY && stderr.write("\r\x1b[K")),
  };
}

function remaining(bytes: number, totalBytes: number | null, elapsedMs: number): string {
  if (totalBytes === null || bytes === 0) return "";
  const share = Math.min(1, bytes / totalBytes);
  const minutes = Math.ceil((elapsedMs * (1 - share)) / share / 60_000);
  const time = minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
  return `, ${Math.floor(share * 100)} % of the file, ${time} left`;
}
