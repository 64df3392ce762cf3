import assert from "node:assert/strict";
import { listLostErasures } from "#decisions/ledger.ts";
import { wallet } from "#testing/people.ts";
import { Chance } from "./chance.ts";
import { check, rowsOf } from "./check.ts";
import { type Event, Expected, type Kind, type Line, PEOPLE } from "./expected.ts";
import type { Backup, DecisionsFile, Server, Tables } from "./server.ts";

export type Servers = Record<"live" | "spare" | "other" | "copy" | "restored" | "kept", Server> & { empty: Tables };

const WALLETS = [1, 2, 3, 4, 5, 6, 7].map(wallet);
/** How often each decision is made. */
const WEIGHTS: Record<Kind, number> = {
  ...{ "hide by operator": 5, "hide by holder": 6, "show by operator": 5, "show by holder": 4 },
  ...{ erase: 6, refuse: 4, erased: 3, allow: 2 },
};
const repeat = <Item>(item: Item, times: number): Item[] => Array<Item>(times).fill(item);
const KINDS = Object.entries(WEIGHTS).flatMap(([kind, weight]) => repeat(kind as Kind, weight));
/** One life, and what happens in it. */
export class Life extends Chance {
  readonly #servers: Servers;
  readonly #story: Event[] = [];
  readonly #backups: Backup[] = [];
  readonly #files: DecisionsFile[] = [];
  /** `live` and `spare` take turns. */
  #a: Server;
  #restored: Server[] = [];
  #keys: readonly string[] = ["a key of this operator"];
  #lines = 0;

  constructor(seed: string, servers: Servers) {
    super(seed);
    this.#servers = servers;
    this.#a = servers.live;
  }

  #all = (): Server[] => [this.#a, this.#servers.other, this.#servers.copy, ...this.#restored];
  #nothing = (operator = "this operator"): Backup => {
    return { tables: this.#servers.empty, expected: new Expected(operator, this.#story) };
  };

  async live(): Promise<void> {
    const { other, copy } = this.#servers;
    for (const server of [this.#a, copy]) await this.#restore(server, this.#nothing());
    await other.restore(this.#nothing("another operator"));
    other.keys = ["a key of another operator"];
    await this.#import(this.#a, this.#anyLines(PEOPLE.slice(0, 4)));
    if (this.flip(0.5)) await this.#import(other, this.#anyLines(PEOPLE));
    await this.#a.builds();
    const steps: [weight: number, step: (where: Server) => unknown][] = [
      [10, (where) => this.#import(where, this.#anyLines(this.some(PEOPLE)))],
      [4, () => this.#race(this.pick([this.#a, this.#a, ...this.#restored]))],
      [36, (where) => this.#decideSome(where)],
      [6, (where) => where.works(this.flip(0.4))],
      [4, (where) => where.builds()],
      [6, async () => this.#backups.push(await this.#a.backUp())],
      [6, async (where) => this.#files.push(await where.writes())],
      [8, (where) => this.#files.length > 0 && where.reads(this.pick(this.#files))],
      [6, () => this.#backups.length > 0 && this.#restoreAny()],
      [2, () => copy.importsSnapshot(this.pick([this.#a, other]))],
      [4, () => this.#exchange(this.#a, this.pick(this.#all().slice(1)))],
      [1, () => this.#rotate()],
    ];
    const weighted = steps.flatMap(([weight, step]) => repeat(step, weight));
    const checked = new Map<Expected, number>();
    for (let left = 4 + this.below(16); left > 0; left -= 1) {
      await this.pick(weighted)(this.pick([this.#a, this.#a, ...this.#all(), ...this.#restored]));
      for (const server of this.#all()) {
        // Nothing has happened to the others, but for the last time.
        if (left === 1 || checked.get(server.expected) !== server.expected.changes) await check(server);
        checked.set(server.expected, server.expected.changes);
      }
    }
    await this.#end();
  }

  #anyLines = (ids: readonly number[]): Line[] =>
    ids.map((id) => {
      this.#lines += 1;
      const main = this.flip(0.6) ? (WALLETS[id - 1] as string) : this.pick(WALLETS);
      const line = { id, name: `n${this.#lines}`, score: this.below(50), merged: this.flip(0.2) };
      const wallets = this.flip(0.8) ? this.some(WALLETS, 0).slice(0, 3) : [];
      return { ...line, main: this.flip(0.85) ? main : null, wallets };
    });

  /** In random batches. */
  async #import(server: Server, lines: readonly Line[]): Promise<void> {
    const size = 1 + this.below(4);
    server.log("imports lines", `${printBriefly(lines)}, by ${size}`);
    for (let start = 0; start < lines.length; start += size) await server.imports(lines.slice(start, start + size));
  }

  /** Most decisions meet others on the same people. */
  async #decideSome(server: Server): Promise<void> {
    const { expected } = server;
    for (let left = 1 + this.below(3); left > 0; left -= 1) {
      const id = this.pick([1, 1, 2, 2, 3, ...PEOPLE]);
      const isUndone = this.flip(0.35);
      const hasRequest = expected.findRequest(id) !== null;
      const undoing: Kind[] = hasRequest ? ["refuse", "show by holder"] : expected.isErased(id) ? ["allow"] : KINDS;
      const kind = this.pick(isUndone ? undoing : KINDS);
      if (isPossible(expected, kind, id)) await this.#decide(server, kind, id);
    }
  }

  async #decide(server: Server, kind: Kind, id: number): Promise<void> {
    const isSoon = this.flip(0.5);
    server.log(kind, `${id}${isSoon && kind === "erase" ? ", due at once" : ""}`);
    if (kind === "erase") await server.asks(id, isSoon);
    else if (kind === "refuse") await server.refuses(server.expected.findRequest(id) ?? "");
    else await server.decides(kind, id);
  }

  async #race(server: Server): Promise<void> {
    const lines = this.#anyLines(this.some(PEOPLE, 2));
    const { id } = this.pick(lines);
    const kind = this.pick(["hide by holder", "hide by operator", "erased", "show by operator"] as const);
    if (!isPossible(server.expected, kind, id)) return;
    server.log("decides during an import", `${printBriefly(lines)}; ${kind} ${id}`);
    const isBetween = await server.decides(kind, id, lines, this.below(12 * lines.length));
    if (isBetween) server.log("has decided between two batches");
  }

  #restore(server: Server, backup: Backup): Promise<Server> {
    server.keys = this.#keys;
    return server.restore(backup);
  }

  /** A server is lost, or somebody rehearses that: the other one may go on. */
  async #restoreAny(): Promise<void> {
    const { live, spare } = this.#servers;
    const restored = await this.#restore(this.#a === live ? spare : live, this.pick(this.#backups));
    restored.log("is a restored backup");
    if (this.flip(0.35)) await this.#decideSome(restored);
    if (this.flip(0.6)) await restored.reads(await this.#a.writes());
    else if (this.#files.length > 0 && this.flip(0.5)) await restored.reads(this.pick(this.#files));
    this.#restored = [restored];
    if (this.flip(0.6)) return;
    restored.log("replaces the other server");
    [this.#a, this.#restored] = [restored, [this.#a]];
  }

  /** Two servers tell each other what they have decided, decide about the same people, and tell each other again. */
  async #exchange(one: Server, other: Server): Promise<void> {
    if (this.flip(0.8)) await other.reads(await one.writes());
    if (this.flip(0.5)) await one.reads(await other.writes());
    await this.#decideSome(other);
    if (this.flip(0.5)) await this.#decideSome(one);
    await one.reads(await other.writes());
    if (this.flip(0.5)) await other.reads(await one.writes());
  }

  #rotate(): void {
    this.#keys = [`key ${this.#keys.length} of this operator`, ...this.#keys];
    this.#a.log("rotates OPT_OUT_KEY");
    for (const server of this.#all()) if (server !== this.#servers.other) server.keys = this.#keys;
  }

  /**
   * A backup with the newest file, older files in any order, and the same imports, is the server as if nothing had
   * been lost; also when the erasures that waited are carried out.
   */
  async #end(): Promise<void> {
    const { expected } = this.#a;
    // A foreign erasure hides a person and keeps the facts.
    const foreign = PEOPLE.filter((id) => expected.isErased(id) && !expected.isDeleted(id));
    for (const id of foreign) await this.#decide(this.#a, "allow", id);
    // Not of another operator, or of a server that was given up, and knew more.
    const isPast = (past: Expected) =>
      past.operator === expected.operator &&
      past.own.isSubsetOf(expected.own) &&
      past.foreign.isSubsetOf(expected.own.union(expected.foreign)) &&
      [...past.source.keys()].every((id) => expected.source.has(id));
    const backups = this.#backups.filter((backup) => isPast(backup.expected));
    const older = this.shuffle(this.#files.filter(({ teller }) => isPast(teller)));
    const files = [await this.#a.writes(), ...older.slice(0, this.below(3))];
    const kept = await this.#restore(this.#servers.kept, await this.#a.backUp());
    const backup = backups.length > 0 && this.flip(0.8) ? this.pick(backups) : this.#nothing();
    const restored = await this.#restore(this.#servers.restored, backup);
    for (const file of this.shuffle(files)) await restored.reads(file);
    for (const server of [restored, kept]) await this.#import(server, this.shuffle([...expected.source.values()]));
    await compare(restored, kept, /^(decision|person|passport|credential|wallet)/);
    for (const server of [restored, kept]) {
      await server.works(true);
      // The operator erases the others.
      for (const id of await listLostErasures(server.database)) await this.#decide(server, "erased", id);
    }
    await compare(restored, kept, /^(person|passport|credential|wallet)/);
  }
}

async function compare(left: Server, right: Server, names: RegExp): Promise<void> {
  // Without notes of restores, and without what only saves time.
  const print = ({ tables }: Backup) =>
    Object.keys(tables)
      .filter((name) => names.test(name))
      .flatMap((name) =>
        rowsOf<{ action?: string; digest?: string }>(tables, name).map(({ digest: _, ...row }) =>
          row.action === "restore" ? null : JSON.stringify({ name, ...row }),
        ),
      );
  const [found, wanted] = [print(await left.backUp()), print(await right.backUp())];
  assert.deepEqual(new Set(found).add(null), new Set(wanted).add(null), "a restored server is as if nothing was lost");
}

/** Not what a command or a worker would refuse. */
function isPossible(expected: Expected, kind: Kind, id: number): boolean {
  const fact = expected.facts.get(id);
  const hasRequest = expected.findRequest(id) !== null;
  if (kind === "allow") return expected.isErased(id);
  if (kind === "refuse") return hasRequest;
  if (kind === "show by operator") return expected.isHidden(id) && !expected.isErased(id) && !hasRequest;
  // Holders ask about stored records, and about erasures with the main wallet only.
  if (kind === "erase" || (kind === "show by holder" && hasRequest)) return fact !== undefined && fact.main !== null;
  return !kind.endsWith("by holder") || fact !== undefined;
}

function printBriefly(lines: readonly Line[]): string {
  const short = (address: string | null) => WALLETS.indexOf(address ?? "") + 1;
  const print = ({ id, name, merged, main, wallets }: Line) =>
    `${id}${merged ? "m" : ""} ${name} [${short(main)}: ${wallets.map(short)}]`;
  return lines.map(print).join("; ");
}
