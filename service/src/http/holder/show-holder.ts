import { holderView } from "@credence/explorer/holder/holder-page.ts";
import { type Problem, problemText } from "@credence/explorer/holder/problems.ts";
import type { Prefilled } from "@credence/explorer/holder/request-form.ts";
import type { FastifyInstance } from "fastify";
import { addRoute } from "#http/respond/respond.ts";
import { canonicalWallet, parseReference } from "#identity/reference.ts";
import { kindOfAddress } from "#ownership/address.ts";
import { issueMessage, type MessageSubject } from "#ownership/issue-message.ts";
import { HOLDER_ACTIONS, type HolderAction } from "#ownership/message.ts";
import { holderContent } from "./holder-content.ts";
import type { HolderDeps } from "./holder-deps.ts";
import { signableOf } from "./signable.ts";

type Query = Readonly<Record<string, string | undefined>>;

/**
 * Prepares a text to sign. Nothing is looked up: the page is the same for a person who exists, is
 * hidden or was never stored.
 */
export function showHolder(app: FastifyInstance, deps: HolderDeps): void {
  const { holderSite, responder, key } = deps;
  addRoute<{ Querystring: Query }>(app, "/holder", responder, ({ query }) => {
    const prefilled = prefill(query);
    // The form always sends what is wanted; links to this page do not.
    if (query.want === undefined)
      return holderContent(holderView(holderSite, { prefilled, signable: null, problem: null }));
    const subject = parseSubject(query, deps);
    if (typeof subject === "string") {
      const problem = problemText(holderSite, subject);
      return holderContent(holderView(holderSite, { prefilled, signable: null, problem }), 400);
    }
    const signable = signableOf(issueMessage(key, subject, new Date()));
    return holderContent(holderView(holderSite, { prefilled, signable, problem: null }));
  });
}

const isAction = (text: string | undefined): text is HolderAction => HOLDER_ACTIONS.includes(text as HolderAction);

export const prefill = ({ passport = "", wallet = "", want }: Query): Prefilled => ({
  passport: passport.trim(),
  wallet: wallet.trim(),
  action: isAction(want) ? want : "hide",
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
