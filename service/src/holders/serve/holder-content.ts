import { PROBLEMS, type Problem } from "@credence/explorer/holder-requests/problems.ts";
import type { Signable } from "@credence/explorer/holder-requests/sign-page.ts";
import type { Link, Safe } from "@credence/explorer/html.ts";
import { type Content, JSON_TYPE } from "#core/http/respond/content.ts";
import { PAGE_HEADERS, REFERRER_POLICY } from "#explorer/site/static-files.ts";
import { type HolderMessage, parseMessage, statementOf } from "#holders/proof/message.ts";

/** Nobody stores these responses: they contain codes and wallets. No other site reads them. */
const PRIVATE = { caching: "no-store", isV1: false } as const;

export const holderContent = (page: Safe, status = 200): Content => ({
  ...PRIVATE,
  status,
  body: Buffer.from(page.toString()),
  type: "text/html; charset=utf-8",
  headers: [...PAGE_HEADERS, ...REFERRER_POLICY],
});

/** `isCarriedOut`: the browser forgets its own copies of pages about the record, also of its absence. */
export const redirectContent = (location: Link, isCarriedOut: boolean): Content => ({
  ...PRIVATE,
  status: 303,
  body: "",
  type: "text/html; charset=utf-8",
  headers: [
    ...["location", location.toString()],
    ...REFERRER_POLICY,
    ...(isCarriedOut ? ["clear-site-data", '"cache"'] : []),
  ],
});

export const jsonContent = (value: object, status = 200): Content => ({
  ...PRIVATE,
  status,
  body: Buffer.from(JSON.stringify(value)),
  type: JSON_TYPE,
});

export const problemContent = (problem: Problem, status: number): Content =>
  jsonContent({ error: PROBLEMS[problem], code: problem }, status);

/** A text of the form that this server issues, with its parts; null for any other text. */
export function signableOf(text: string): (Signable & HolderMessage) | null {
  const parts = parseMessage(text);
  if (parts === null) return null;
  return { ...parts, message: text, statement: statementOf(parts), isEvm: parts.address.startsWith("0x") };
}
