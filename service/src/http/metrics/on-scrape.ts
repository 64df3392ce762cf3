import { Counter, Gauge, type Registry } from "@prometheus-io/client";

/** Calls while a value is being read get the same value: scrapes at the same time share their queries. */
export function share<Value>(read: () => Promise<Value> | Value): () => Promise<Value> {
  let current: Promise<Value> | null = null;
  return () => {
    current ??= (async () => read())().finally(() => {
      current = null;
    });
    return current;
  };
}

/** Creates metrics whose values are read on each scrape. */
export function onScrape(registry: Registry) {
  const registers = [registry];
  return {
    gauge: (name: string, help: string, read: () => Promise<number> | number) => {
      const readShared = share(read);
      return new Gauge({
        name,
        help,
        registers,
        async collect() {
          try {
            this.set(await readShared());
          } catch {
            // NaN means unknown: the database is unreachable.
            this.set(Number.NaN);
          }
        },
      });
    },
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
