import { Counter, Gauge, type Registry } from "@prometheus-io/client";
import { isDenied } from "#core/database/failures.ts";

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

type Read = () => Promise<number | null> | number | null;

/** Creates metrics whose values are read on each scrape. A gauge without a value, null, is absent. */
export function onScrape(registry: Registry) {
  const registers = [registry];
  return {
    gauge: (name: string, help: string, read: Read) => {
      const readShared = share(read);
      return new Gauge({
        name,
        help,
        registers,
        async collect() {
          // NaN means unknown: the database is unreachable. A role with older grants has no value.
          const value = await readShared().catch((error) => (isDenied(error) ? null : Number.NaN));
          if (value === null) this.remove();
          else this.set(value);
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
