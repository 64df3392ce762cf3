import { printCount, say } from "./output.ts";

const LINE_EVERY_MS = 10_000;
const REDRAW_EVERY_MS = 100;

/** Shows how far a long job has come: one line redrawn on a terminal, elsewhere a line every ten seconds. */
export function showProgress(verb: string): { update: (people: number) => void; end: () => void } {
  const terminal = process.stderr.isTTY;
  const started = performance.now();
  let shown = started;
  const line = (people: number) => {
    const rate = people / Math.max(0.001, (performance.now() - started) / 1_000);
    return `${verb} ${printCount(people, "person", "people")}, ${printCount(Math.round(rate), "a second", "a second")}`;
  };
  return {
    update(people) {
      const now = performance.now();
      if (now - shown < (terminal ? REDRAW_EVERY_MS : LINE_EVERY_MS)) return;
      shown = now;
      if (terminal) process.stderr.write(`\r\x1b[K${line(people)}`);
      else say(line(people));
    },
    end() {
      if (terminal) process.stderr.write("\r\x1b[K");
    },
  };
}
