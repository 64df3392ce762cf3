const KEY_HEADER = "in the header `X-API-KEY`";

/** The text on API keys, by the mode of the server. */
export function keyParagraphs(authMode: "optional" | "required" | "open"): string[] {
  const rule = {
    optional: `No key is needed. If you have a key, send it ${KEY_HEADER}. A malformed, unknown, expired or revoked key is rejected with 401; it is never treated as no key.`,
    required: `Every request needs a key, ${KEY_HEADER}. A request without a key, or with a malformed, unknown, expired or revoked key, is rejected with 401.`,
    open: `No key is needed. If you have a key, send it ${KEY_HEADER}. An unknown key counts as no key. A key of this server that is expired or revoked is rejected with 401.`,
  }[authMode];
  return [rule, "Do not put the key into the URL. It is ignored there, and URLs are written to logs."];
}
