// What a server should store and serve, written without the implementation: a story of events, and who knew of them.

export const PEOPLE = [1, 2, 3, 4, 5, 6] as const;

export type Kind =
  | ("hide by operator" | "hide by holder" | "show by operator" | "show by holder")
  // A holder asks to be erased; the request is refused or withdrawn, or carried out.
  | ("erase" | "refuse" | "erased")
  | "allow";

/** In plain words: what takes back what. Of two requests to erase, the later one replaces the earlier one. */
const TAKEN_BACK_BY: Partial<Record<Kind, readonly Kind[]>> = {
  "hide by operator": ["show by operator"],
  "hide by holder": ["show by operator", "show by holder"],
  erase: ["refuse", "erased", "erase", "show by operator", "show by holder"],
  erased: ["allow"],
};

/** `wallets`: what an erased record listed. `aware`: what counted on the server: who decides knows of it. */
export type Event = { number: number; kind: Kind; person: number; request: string | null } & {
  wallets: readonly string[];
  aware: ReadonlySet<number>;
};

export type Line = { id: number; name: string; score: number; merged: boolean; main: string | null; wallets: string[] };
export type Fact = Line & { lostMain: boolean };
/** Of a wallet, about the records whose main wallet it is. */
type Request = { people: number[]; address: string; isDue: boolean };

export const listedBy = ({ main, wallets }: Line): string[] => [
  ...new Set(main === null ? wallets : [main, ...wallets]),
];

export class Expected {
  /** Events that this operator has authority for, and those that only files of others have told of. */
  own = new Set<number>();
  foreign = new Set<number>();
  facts = new Map<number, Fact>();
  /** The last line of each person that was imported. */
  source = new Map<number, Line>();
  /** Open requests to erase. No file brings them. */
  requests = new Map<string, Request>();
  /** The files with which it was restored. */
  restores = new Set<string>();
  /** The people in the current version of the list, and in the previous one. */
  lists: Set<number>[] = [new Set()];
  /** All events in order, as long as no other server has told anything. */
  alone: Event[] | null = [];
  /** Counts what happens here. */
  changes = 0;
  readonly operator: string;
  /** All events of all servers. */
  readonly #story: Event[];
  constructor(operator: string, story: Event[]) {
    this.operator = operator;
    this.#story = story;
  }

  copy(): Expected {
    const { own, foreign, facts, source, requests, restores, lists, alone } = this;
    const state = structuredClone({ own, foreign, facts, source, requests, restores, lists });
    return Object.assign(new Expected(this.operator, this.#story), state, { alone: alone && [...alone] });
  }

  #known = (): Event[] => [...this.own, ...this.foreign].map((number) => this.#story[number] as Event);

  /** What counts: it was not taken back by somebody who was aware of it. Others take back nothing of ours. */
  #counting(): Event[] {
    const known = this.#known();
    const takesBack = (later: Event, { kind, person, number, request }: Event) =>
      later.person === person &&
      TAKEN_BACK_BY[kind]?.includes(later.kind) &&
      later.aware.has(number) &&
      (later.kind !== "refuse" || later.request === request) &&
      (this.foreign.has(number) || this.own.has(later.number));
    return known.filter((event) => event.kind in TAKEN_BACK_BY && !known.some((later) => takesBack(later, event)));
  }

  open = (id: number): Event[] => this.#counting().filter(({ person }) => person === id);
  isHidden = (id: number): boolean => this.open(id).length > 0;
  isErased = (id: number): boolean => this.open(id).some(({ kind }) => kind === "erased");
  /** Erased with authority. */
  isDeleted = (id: number): boolean =>
    this.open(id).some(({ kind, number }) => kind === "erased" && this.own.has(number));
  isShown = (id: number): boolean => this.facts.has(id) && !this.isHidden(id);
  /** Asked to be erased, and the request is not here. */
  isLost = (id: number): boolean =>
    !this.isErased(id) &&
    this.open(id).some(({ kind, request }) => kind === "erase" && !this.requests.has(request as string));
  findRequest = (id: number): string | null =>
    this.requests.entries().find(([, { people }]) => people.includes(id))?.[0] ?? null;

  /** The wallets of people who were erased here. Foreign decisions have no hashes. */
  erasedWallets(): Set<string> {
    const erased = this.#counting().filter(({ kind, number }) => kind === "erased" && this.own.has(number));
    return new Set(erased.flatMap(({ wallets }) => wallets));
  }

  happens(kind: Kind, person: number, request: string | null = null): void {
    const fact = this.facts.get(person);
    const wallets = kind === "erased" && fact !== undefined ? listedBy(fact) : [];
    const aware = new Set(this.open(person).map(({ number }) => number));
    const event: Event = { number: this.#story.length, kind, person, request, wallets, aware };
    this.#story.push(event);
    this.own.add(event.number);
    this.alone?.push(event);
    this.#settle();
  }

  asks(request: string, address: string, isDue: boolean): void {
    const people = this.stored()
      .filter(({ main }) => main === address)
      .map(({ id }) => id);
    this.requests.set(request, { people, address, isDue });
    for (const id of people) this.happens("erase", id, request);
  }

  /** What was ended stays ended. */
  #waiting = (request: string): number[] =>
    this.#counting()
      .filter((event) => event.kind === "erase" && event.request === request && this.own.has(event.number))
      .map(({ person }) => person);

  closes(request: string, kind: "refuse" | "erased"): void {
    const people = this.#waiting(request);
    this.requests.delete(request);
    for (const id of people) this.happens(kind, id, request);
  }

  /** A worker looks at the requests. An erasure may close requests after it. */
  works(isGraceOver: boolean): void {
    if (isGraceOver) for (const request of this.requests.values()) request.isDue = true;
    const due = [...this.requests].filter(([, { isDue }]) => isDue);
    for (const [request] of due) if (this.requests.has(request)) this.closes(request, "erased");
  }

  imports(lines: readonly Line[]): void {
    const gone = this.erasedWallets();
    for (const line of lines) {
      this.source.set(line.id, line);
      if (!this.isErased(line.id)) this.facts.set(line.id, without({ ...line, lostMain: false }, gone));
    }
    this.#correctLists();
  }

  /** `teller`: the server of the file, as it was then. `file` is the content; null if it is no restore. */
  reads(teller: Expected, file: string | null): void {
    const isOurs = teller.operator === this.operator;
    if (isOurs) this.own = this.own.union(teller.own);
    this.foreign = this.foreign.union(teller.foreign).union(teller.own).difference(this.own);
    if (isOurs && file !== null) {
      this.restores = this.restores.union(teller.restores);
      // The grace period begins again.
      if (!this.restores.has(file)) for (const request of this.requests.values()) request.isDue = false;
      this.restores.add(file);
    }
    this.alone = null;
    this.#settle();
  }

  builds(): void {
    const listed = this.shown().filter(({ merged }) => !merged);
    this.lists = [new Set(listed.map(({ id }) => id)), ...this.lists.slice(0, 1)];
    this.changes += 1;
  }

  #settle(): void {
    const gone = this.erasedWallets();
    const swept = new Set([...this.facts.values()].flatMap(listedBy)).intersection(gone);
    for (const [id, fact] of this.facts) {
      if (this.isDeleted(id)) this.facts.delete(id);
      else this.facts.set(id, without(fact, gone));
    }
    // A request of a wallet that is gone names the wallet of an erased person.
    for (const [name, { people, address }] of this.requests) {
      const isAboutErased = people.some(this.isDeleted) || swept.has(address);
      if (isAboutErased || this.#waiting(name).length === 0) this.requests.delete(name);
    }
    this.#correctLists();
  }

  #correctLists(): void {
    const isListed = (id: number) => this.isShown(id) && this.facts.get(id)?.merged === false;
    this.lists = this.lists.map((list) => new Set([...list].filter(isListed)));
    this.changes += 1;
  }

  stored = (): Fact[] => [...this.facts.values()].toSorted((a, b) => a.id - b.id);
  shown = (): Fact[] => this.stored().filter(({ id }) => this.isShown(id));

  /** The rule of the contract. */
  owners(): Map<string, number> {
    const owners = new Map<string, number>();
    for (const address of this.stored().flatMap(listedBy).sort()) {
      const claims = this.stored().filter((fact) => listedBy(fact).includes(address));
      const unmerged = claims.filter(({ merged }) => !merged);
      const owner = (unmerged.length > 0 ? unmerged : claims).find(({ id }) => this.isShown(id));
      if (owner !== undefined) owners.set(address, owner.id);
    }
    return owners;
  }
}

function without(fact: Fact, gone: ReadonlySet<string>): Fact {
  const losesMain = fact.main !== null && gone.has(fact.main);
  const wallets = fact.wallets.filter((address) => !gone.has(address));
  return { ...fact, wallets, main: losesMain ? null : fact.main, lostMain: fact.lostMain || losesMain };
}

/** On a server that no other has told anything, the last word counts. */
export function lastWords(events: readonly Event[], person: number) {
  const words = { hidden_by_operator: false, hidden_by_holder: false, erasing: false, erased: false };
  for (const { kind } of events.filter((event) => event.person === person)) {
    if (kind.endsWith("by operator")) words.hidden_by_operator = kind.startsWith("hide");
    if (kind.endsWith("by holder") || kind === "show by operator") words.hidden_by_holder = kind.startsWith("hide");
    if (kind === "erased" || kind === "allow") words.erased = kind === "erased";
    if (!kind.startsWith("hide") && kind !== "allow") words.erasing = kind === "erase";
  }
  return words;
}
