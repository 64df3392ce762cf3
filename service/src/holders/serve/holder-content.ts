import { PROBLEMS, type Problem } from "@credence/explorer/holder-requests/problems.ts";
import type { Signable } from "@credence/explorer/holder-requests/sign-page.ts";
import type { Safe } from "@credence/explorer/html.ts";
import { type Content, JSON_TYPE } from "#core/http/respond/content.ts";
import { PAGE_HEADERS, REFERRER_POLICY } from "#explorer/site/static-files.ts";
import { parseMessage, statementOf } from "#holders/proof/message.ts";

/** Nobody stores these responses: they contain codes, secrets and wallets. No other site reads them. */
const PRIVATE = { caching: "no-store", isV1: false } as const;

export const holderContent = (page: Safe, status = 200): Content => ({
  ...PRIVATE,
  status,
  body: Buffer.from(page.toString()),
  type: "text/html; charset=utf-8",
  headers: [...PAGE_HEADERS, ...REFERRER_POLICY],
});

export const jsonContent = (value: object, status = 200): Content => ({
  ...PRIVATE,
  status,
  body: Buffer.from(JSON.stringify(value)),
  type: JSON_TYPE,
});

export const problemContent = (problem: Problem, status: number): Content =>
  jsonContent({ error: PROBLEMS[problem], code: problem }, status);

/** A file that browsers save. */
export const fileToSave = (name: string, type: string, text: string): Content => ({
  ...PRIVATE,
  status: 200,
  body: Buffer.from(text),
  type,
  headers: ["content-disposition", `attachment; filename="${name}"`],
});

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
