import type { Signed } from "@credence/explorer/holder-requests/request-view.ts";
import { parseMessage } from "#holders/proof/message.ts";
import { receiptCode } from "#holders/proof/verify-request.ts";

/**
 * What was signed for this code, from the text that the page sends back. A code follows from its text,
 * so no other text can be put on the page. Nothing is looked up.
 */
export function findSigned(keys: readonly string[], code: string, text = ""): (Signed & { at: Date }) | null {
  // A form sends line breaks as CR and LF.
  const message = text.replaceAll("\r\n", "\n");
  const parsed = parseMessage(message);
  if (parsed === null || !keys.some((key) => receiptCode(key, message) === code)) return null;
  const { action, passportId, address, issuedAt: at } = parsed;
  return { message, action, passportId, address, at };
}
