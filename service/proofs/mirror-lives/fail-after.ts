import type { Database, DedicatedConnection } from "#core/database/database.ts";

class Fault extends Error {
  override name = "Fault";
}

/** A database on which one statement fails: the one after `statements` others. */
export function failAfter(database: Database, statements: number): Database {
  let left = statements;
  const counting = <Target extends object>(target: Target, replaced: Partial<Target> = {}): Target =>
    new Proxy(target, {
      get(_, key) {
        if (key in replaced) return replaced[key as keyof Target];
        const value = Reflect.get(target, key, target);
        if (typeof value !== "function") return value;
        return (...args: unknown[]) => {
          if (key === "query" && left-- === 0) throw new Fault(`The statement after ${statements} others fails.`);
          return value.apply(target, args);
        };
      },
    });
  const connect = async (): Promise<DedicatedConnection> => counting(await database.connect());
  return counting(database, { connect: connect as Database["connect"] });
}
