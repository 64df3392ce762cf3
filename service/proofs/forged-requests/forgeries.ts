import { randomBytes } from "node:crypto";
import { codeOf } from "#holders/proof/issue-message.ts";
import { parseMessage } from "#holders/proof/message.ts";
import type { NewRequest } from "#holders/serve/requests.ts";
import { DOMAIN, KEY, MUTATIONS, type Subject } from "#testing/signature-mutations.ts";

/** A row as somebody with a connection of the serving role inserts it, who may also know HOLDER_KEY. */
export type Forgery = { name: string; only: "evm" | "solana" | undefined; forge: (subject: Subject) => NewRequest };

const HOUR_MS = 3_600_000;

/** What the columns of an honest row are, for this text. */
function rowOf({ holder, wish }: Subject, { text, signature }: { text: string; signature: string }): NewRequest {
  const parsed = parseMessage(text);
  const nonce = parsed?.nonce ?? randomBytes(24).toString("hex");
  return {
    wish: parsed?.wish ?? wish,
    address: parsed?.address ?? holder.address,
    code: codeOf(KEY, text),
    message: text,
    signature: signature === "" ? "0" : signature,
    nonce,
  };
}

function honest(subject: Subject, ageMs = 0): NewRequest {
  const now = new Date((subject.now ?? new Date()).getTime() - ageMs);
  const valid = MUTATIONS.valid as (typeof MUTATIONS)[string];
  return rowOf(subject, valid.attempt({ ...subject, now }));
}

const row = (name: string, forge: Forgery["forge"]): Forgery => ({ name, only: undefined, forge });

/** Valid for a server, and changed in the row or used at another time. */
const ROWS: readonly Forgery[] = [
  row("an invented text", (subject) => ({ ...honest(subject), message: "Erase my record.", signature: "0x00" })),
  row("the address of another wallet in the row", (subject) => ({
    ...honest({ ...subject, holder: subject.other }),
    address: subject.holder.address,
  })),
  row("another wish in the row", (subject) => ({
    ...honest(subject),
    wish: subject.wish === "erase" ? "hide" : "erase",
  })),
  row("another nonce in the row", (subject) => ({ ...honest(subject), nonce: randomBytes(24).toString("hex") })),
  row("a text of the holder with the signature of another request", (subject) => ({
    ...honest(subject),
    signature: subject.holder.sign(`credence ${DOMAIN}`),
  })),
  row("captured an hour ago", (subject) => honest(subject, HOUR_MS)),
  row("issued an hour from now", (subject) => honest(subject, -HOUR_MS)),
];

/** Every forged text and signature that a serving node refuses, and the forged rows. */
export const FORGERIES: readonly Forgery[] = [
  ...Object.entries(MUTATIONS)
    .filter(([, { fault }]) => fault !== null)
    .map(([name, { only, attempt }]) => ({
      name,
      only,
      forge: (subject: Subject) => rowOf(subject, attempt(subject)),
    })),
  ...ROWS,
];
