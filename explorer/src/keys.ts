const SEND = "in the header `X-API-KEY`";
const NOT_IN_ADDRESS = "Do not put a key into the address. It is ignored there, and addresses end up in logs.";

/** What a caller has to know about keys, by the server's mode. */
export function keyParagraphs(authMode: "optional" | "required" | "open"): string[] {
  const rule = {
    optional: `No key is needed. If you have one, send it ${SEND}. A key that is malformed, unknown, expired or revoked is refused with 401; it is never treated as no key.`,
    required: `Every call needs a key, ${SEND}. A call without one, or with one that is malformed, unknown, expired or revoked, is refused with 401.`,
    open: `No key is needed. If you have one, send it ${SEND}. A key this server does not know counts as no key. A key of this server that is expired or revoked is refused with 401.`,
  }[authMode];
  return [rule, NOT_IN_ADDRESS];
}
