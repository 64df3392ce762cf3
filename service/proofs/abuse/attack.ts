import type { Counts } from "./raw-connections.ts";

/** The parameters of an attack. Numbers are scaled to the size of the run. */
export type AttackContext = {
  port: number;
  /** HTTP/1.1 over TLS. */
  isTls: boolean;
  durationMs: number;
  /** Scales a count of connections or requests. */
  count: (full: number) => number;
  /** Paths of the largest responses. */
  largestPage: string;
  largestAsset: string;
  /** Look-ups that should be cached. */
  hotPaths: readonly string[];
  /** Look-ups of all people except those of the first page. */
  allPaths: readonly string[];
};

export type Attack = {
  name: string;
  description: string;
  run: (context: AttackContext) => Promise<Counts>;
};

export const requestOf = (path: string, headers = ""): string =>
  `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers}\r\n`;

export const anyOf = <Item>(items: readonly Item[]): Item => items[Math.floor(Math.random() * items.length)] as Item;
