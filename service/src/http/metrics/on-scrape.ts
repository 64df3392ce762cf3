import { Counter, Gauge, type Registry } from "@prometheus-io/client";

/** Creates metrics whose values are read on each scrape. */
export function onScrape(registry: Registry) {
  const registers = [registry];
  return {
    gauge: (name: string, help: string, read: () => Promise<number> | number) =>
      new Gauge({
        name,
        help,
        registers,
        async collect() {
          try {
            this.set(await read());
          } catch {
            // NaN means unknown: the database is unreachable.
            this.set(Number.NaN);
          }
        },
      }),
    counter: (name: string, help: string, read: () => number) =>
      new Counter({
        name,
        help,
        registers,
        collect() {
          this.reset();
          this.inc(read());
        },
      }),
  };
}
