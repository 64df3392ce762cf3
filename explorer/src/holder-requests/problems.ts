import { html, type Safe } from "../html.ts";

/** Why a request was not accepted. The program says it with the code, the page in words. */
export const PROBLEMS = {
  wallet: "A signature cannot prove who holds this address. Enter the address of an EVM or Solana wallet.",
  want: "Choose what you want: hide, show or erase.",
  form: "The text is not one that this server prepared. Prepare a text and sign it unchanged.",
  expired: "The text was valid for ten minutes. Sign this new one.",
  early: "The text was issued in the future. The clocks of this server’s machines differ: tell the operator.",
  domain: "The text names another server. Sign this one.",
  nonce: "The text was not issued by this server, or was changed. Sign this one unchanged.",
  signature:
    "This signature was made by another wallet, or for another text. Sign the text again with the wallet that it names.",
  signature_form:
    "This is not a complete signature. That of an EVM wallet begins with 0x and has 132 characters; that of a Solana wallet has 86 to 88 characters (base58 or base64), or 128 digits (hex).",
  code: "There is no request at this address. It is deleted 90 days after the request was completed. Sign again.",
  off: "This server takes no requests on this page. Write to the operator.",
  too_large: "The request is larger than 8 KiB. Send only the text and its signature.",
  media_type: "Send a form (application/x-www-form-urlencoded) or JSON (application/json).",
  method_not_allowed: "This method is not answered here. The header Allow lists those that are.",
  unreadable: "The request could not be read. Send a form or a JSON object with text values.",
} as const;

export type Problem = keyof typeof PROBLEMS;

/** For a page, if no field is the reason. */
export const problemText = (problem: Problem): Safe => html`<p><b>Nothing was changed.</b> ${PROBLEMS[problem]}</p>`;
