import { html, type Safe } from "../html.ts";

/** Why a request was not accepted. The program says it with the code, the page in words. */
export const PROBLEMS = {
  passport: "The passport number is missing, or is not a number. Send the number of the passport.",
  wallet: "A signature cannot prove who holds this address. Enter the address of an EVM or Solana wallet.",
  want: "Choose what you want: see, hide, unhide, erase or withdraw.",
  form: "The text is not one that this server prepared. Prepare a text and sign it unchanged.",
  expired: "The text has expired: it is valid for ten minutes. Prepare a new one.",
  early: "The text was issued in the future. The clocks of this server’s machines differ: tell the operator.",
  domain: "The text names another server. Prepare a text here.",
  nonce: "The text was not issued by this server, or was changed. Prepare a text and sign it unchanged.",
  signature:
    "This signature was made by another wallet, or for another text. Sign the text again with the wallet that it names.",
  signature_form:
    "This is not a complete signature. That of an EVM wallet begins with 0x and has 132 characters; that of a Solana wallet has 86 to 88 characters (base58 or base64), or 128 digits (hex).",
  code: "No request has this code. Check it. A code is unknown again 90 days after its request was completed, or a day after it was refused because the passport does not list the wallet.",
  secret: "Code and secret do not fit, or the data is not there: it is deleted 24 hours after it was prepared.",
  off: "This server takes no requests on this page. Write to the operator.",
  too_large: "The request is larger than 8 KiB. Send only the text and its signature.",
  media_type: "Send a form (application/x-www-form-urlencoded) or JSON (application/json).",
  unreadable: "The request could not be read. Send a form or a JSON object with text values.",
} as const;

export type Problem = keyof typeof PROBLEMS;

/** For a page, if no field is the reason. */
export const problemText = (problem: Problem): Safe => html`<p><b>Nothing was changed.</b> ${PROBLEMS[problem]}</p>`;
