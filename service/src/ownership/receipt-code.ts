import { createHmac } from "node:crypto";

const CODE_DIGITS = 32;

/**
 * The code on the receipt of a signed text, in groups of four digits. It follows from the text, so
 * that a holder who sends it again, because the response was lost, gets the same code.
 */
export const receiptCode = (key: string, text: string): string =>
  createHmac("sha256", key)
    .update(`credence holder code\n${text}`)
    .digest("hex")
    .slice(0, CODE_DIGITS)
    .replaceAll(/(?<=\w)(?=(\w{4})+$)/g, "-");
