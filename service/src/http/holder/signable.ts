import type { Signable } from "@credence/explorer/holder/sign-page.ts";
import { parseMessage, statementOf } from "#ownership/message.ts";

/** A text of the form that this server issues, for its page; null for any other text. */
export function signableOf(text: string): Signable | null {
  const message = parseMessage(text);
  if (message === null) return null;
  const { action, passportId, address, expiresAt } = message;
  return {
    message: text,
    statement: statementOf(action, passportId),
    action,
    passportId,
    address,
    isEvm: address.startsWith("0x"),
    expiresAt,
  };
}
