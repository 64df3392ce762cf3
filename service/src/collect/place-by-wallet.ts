import { closeSync, createReadStream, openSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Observation, Rejection, UnplacedCredentials } from "./observation.ts";

/** Finds out whose credentials were saved by the wallet in their URL. */
export type WalletPlacer = {
  /** Notes the wallets of a passport. */
  addOwner: (passport: Observation) => void;
  addCredentials: (credentials: UnplacedCredentials) => void;
  /** The credentials of wallets that exactly one passport lists. Call it when all were added. */
  place: (onRejected: (rejection: Rejection) => void) => AsyncGenerator<Observation>;
};

/**
 * Keeps both in files of the folder, as memory must not depend on their number. In memory are only the
 * wallets of the credentials.
 */
export function createWalletPlacer(pathOf: (name: string) => string): WalletPlacer {
  const owners = createLines(pathOf("owners"));
  const unplaced = createLines(pathOf("unplaced"));
  /** The passport that lists a wallet: 0 if none is known, -1 if several do. */
  const ownerOf = new Map<string, number>();
  return {
    addOwner({ id, wallets = [] }) {
      for (const wallet of wallets) owners.add(`${id} ${JSON.stringify(wallet)}`);
    },
    addCredentials(credentials) {
      ownerOf.set(credentials.wallet, 0);
      unplaced.add(JSON.stringify(credentials));
    },
    async *place(onRejected) {
      if (ownerOf.size === 0) {
        owners.close();
        unplaced.close();
        return;
      }
      for await (const line of owners.read()) {
        const space = line.indexOf(" ");
        const wallet: string = JSON.parse(line.slice(space + 1));
        const id = Number(line.slice(0, space));
        const owner = ownerOf.get(wallet);
        if (owner !== undefined) ownerOf.set(wallet, owner === 0 || owner === id ? id : -1);
      }
      for await (const line of unplaced.read()) {
        const { wallet, file, ...credentials }: UnplacedCredentials = JSON.parse(line);
        const id = ownerOf.get(wallet) ?? 0;
        if (id > 0) yield { id, ...credentials };
        else onRejected({ file, id: null, reason: id === 0 ? NO_OWNER : SEVERAL_OWNERS });
      }
    },
  };
}

const NO_OWNER = "credentials of a wallet that no passport of the input lists";
const SEVERAL_OWNERS = "credentials of a wallet that several passports of the input list";

const CHUNK_CHARACTERS = 65_536;

/** A file of lines that is written once, and then read. */
function createLines(path: string) {
  const file = openSync(path, "w", 0o600);
  let text = "";
  const flush = () => {
    writeSync(file, text);
    text = "";
  };
  return {
    add(line: string): void {
      text += `${line}\n`;
      if (text.length > CHUNK_CHARACTERS) flush();
    },
    close: () => closeSync(file),
    read(): AsyncIterable<string> {
      flush();
      closeSync(file);
      return createInterface({ input: createReadStream(path) });
    },
  };
}
