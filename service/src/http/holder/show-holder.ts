import { holderView } from "@credence/explorer/holder/holder-page.ts";
import { type Problem, problemText } from "@credence/explorer/holder/problems.ts";
import type { Prefilled } from "@credence/explorer/holder/request-form.ts";
import type { FastifyInstance } from "fastify";
import type { Content } from "#http/respond/content.ts";
import { addRoute } from "#http/respond/respond.ts";
import { canonicalWallet, parseReference } from "#identity/reference.ts";
import { kindOfAddress } from "#ownership/address.ts";
import type { MessageSubject } from "#ownership/issue-message.ts";
import { HOLDER_ACTIONS, type HolderAction, parseMessage, statementOf } from "#ownership/message.ts";
import { holderContent, jsonContent, problemContent } from "./holder-content.ts";
import type { HolderDeps } from "./holder-deps.ts";
import { signableOf } from "./signable.ts";

type Query = Readonly<Record<string, string | undefined>>;

/**
 * Prepares a text to sign. Nothing is looked up: the page is the same for a person who exists, is
 * hidden or was never stored.
 */
export function showHolder(app: FastifyInstance, deps: HolderDeps): void {
  const { holderSite, responder, issue } = deps;
  addRoute<{ Querystring: Query }>(app, "/holder", responder, ({ query, headers }) => {
    if (wantsJson(headers.accept)) return signableJson(query, deps);
    const prefilled = prefill(query);
    // The form always sends the wallet; links to this page do not.
    if (query.want === undefined && query.wallet === undefined)
      return holderContent(holderView(holderSite(), { prefilled, signable: null, problem: null }));
    const subject = parseSubject(query, deps);
    if (typeof subject === "string") {
      const problem = problemText(holderSite(), subject);
      return holderContent(holderView(holderSite(), { prefilled, signable: null, problem }), 400);
    }
    const signable = signableOf(issue(subject));
    return holderContent(holderView(holderSite(), { prefilled, signable, problem: null }));
  });
}

/** A program gets the text to sign with its parts; a browser asks for a page. */
const wantsJson = (accept = ""): boolean => accept.includes("application/json") && !accept.includes("text/html");

function signableJson(query: Query, deps: HolderDeps): Content {
  const subject = parseSubject(query, deps);
  if (typeof subject === "string") return problemContent(subject, 400);
  const message = deps.issue(subject);
  const parts = parseMessage(message);
  return jsonContent({
    message,
    statement: statementOf(subject.action, subject.passportId),
    want: subject.action,
    passport_id: subject.passportId,
    wallet: subject.address,
    domain: subject.domain,
    uri: subject.uri,
    nonce: parts?.nonce,
    issued_at: parts?.issuedAt,
    expires_at: parts?.expiresAt,
  });
}

const isAction = (text: string | undefined): text is HolderAction => HOLDER_ACTIONS.includes(text as HolderAction);

export const prefill = ({ passport = "", wallet = "", want }: Query): Prefilled => ({
  passport: passport.trim(),
  wallet: wallet.trim(),
  action: isAction(want) ? want : null,
});

function parseSubject(
  { passport = "", wallet = "", want }: Query,
  { domain, config }: HolderDeps,
): MessageSubject | Problem {
  const reference = parseReference(passport.trim());
  if (reference?.kind !== "passport_id") return "passport";
  const address = canonicalWallet(wallet.trim());
  if (kindOfAddress(address) === null) return "wallet";
  if (!isAction(want)) return "want";
  return { domain, address, action: want, passportId: reference.passportId, uri: `${config.publicUrl}/holder` };
}
