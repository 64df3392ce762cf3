import type { SinglePassport } from "@credence/contract/answers.ts";
import { holderView } from "@credence/explorer/holder-requests/holder-page.ts";
import { type Entered, errorsOf, type WrongField } from "@credence/explorer/holder-requests/request-form.ts";
import { type Signable, signPage } from "@credence/explorer/holder-requests/sign-page.ts";
import { visibleName } from "@credence/explorer/people/names.ts";
import type { FastifyInstance } from "fastify";
import { isUnavailable } from "#core/database/failures.ts";
import type { Content } from "#core/http/respond/content.ts";
import { addRoute } from "#core/http/respond/respond.ts";
import { parseReference } from "#core/identity/reference.ts";
import { canonicalWallet } from "#core/identity/wallet-address.ts";
import { compressed } from "#explorer/site/page-content.ts";
import { kindOfAddress } from "#holders/proof/address.ts";
import type { MessageSubject } from "#holders/proof/issue-message.ts";
import { HOLDER_ACTIONS, type HolderAction, parseMessage, statementOf } from "#holders/proof/message.ts";
import { parseAnswer } from "#v1/answers/answers.ts";
import { holderContent, jsonContent, problemContent, signableOf } from "./holder-content.ts";
import type { KeyedDeps } from "./holder-deps.ts";

type Query = Readonly<Record<string, string | undefined>>;

/**
 * The form, or the text to sign. Nothing is looked up but what the public API tells: which passport
 * that is shown lists the wallet, if the holder did not name one.
 */
export function showHolder(app: FastifyInstance, deps: KeyedDeps): void {
  addRoute<{ Querystring: Query }>(app, "/holder", deps.responder, async ({ query, headers }) =>
    wantsJson(headers.accept) ? signableJson(query, deps) : compressed(headers, await holderContentOf(query, deps)),
  );
}

async function holderContentOf(query: Query, deps: KeyedDeps): Promise<Content> {
  const entered = parseHolderQuery(query);
  const site = deps.holderSite();
  // The form always sends the wallet. Other links to this page do not, or say that it is edited.
  if (query.wallet === undefined || query.edit !== undefined) {
    const number = parseReference(entered.passport)?.kind === "passport_id" ? entered.passport : "";
    const name = await findName(deps, number);
    const asksNumber = query.edit === "number" ? "other" : null;
    return holderContent(
      holderView(site, { entered: { ...entered, passport: number }, name, asksNumber, errors: [], problem: null }),
    );
  }
  const subject = await findSubject(query, deps);
  if (subject instanceof Set) {
    const errors = errorsOf(site, subject, entered);
    return holderContent(holderView(site, { entered, errors, problem: null }), 400);
  }
  if (typeof subject === "string")
    return holderContent(holderView(site, { entered, asksNumber: subject, errors: [], problem: null }));
  return holderContent(signPage(site, signableOf(deps.issue(subject)) as Signable));
}

/** A program gets the text to sign with its parts; a browser asks for a page. */
const wantsJson = (accept = ""): boolean => accept.includes("application/json") && !accept.includes("text/html");

async function signableJson(query: Query, deps: KeyedDeps): Promise<Content> {
  const subject = await findSubject(query, deps);
  if (typeof subject === "string") return problemContent("passport", 400);
  if (subject instanceof Set) return problemContent([...subject][0] as WrongField, 400);
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

export const parseHolderQuery = ({ passport = "", wallet = "", want }: Query): Entered => ({
  passport: canonicalNumber(passport.trim()),
  wallet: wallet.trim(),
  action: isAction(want) ? want : null,
});

/** Without leading zeros. Other text is unchanged. */
function canonicalNumber(text: string): string {
  const reference = parseReference(text);
  return reference?.kind === "passport_id" ? String(reference.passportId) : text;
}

/** What the text is about; the fields that are wrong; or why the number of the passport is needed. */
async function findSubject(
  query: Query,
  deps: KeyedDeps,
): Promise<MessageSubject | Set<WrongField> | "unlisted" | "hidden"> {
  const { passport, wallet, action } = parseHolderQuery(query);
  const address = canonicalWallet(wallet);
  const named = passport === "" ? null : parseReference(passport);
  const wrong = new Set<WrongField>();
  const isAsked = deps.holderSite().links.people === null;
  if ((passport !== "" || isAsked) && named?.kind !== "passport_id") wrong.add("passport");
  if (kindOfAddress(address) === null) wrong.add("wallet");
  if (action === null) wrong.add("want");
  if (wrong.size > 0 || action === null) return wrong;
  // A passport that the wallet finds is shown, so it is not the one meant.
  if (named === null && action === "unhide") return "hidden";
  const passportId =
    named?.kind === "passport_id"
      ? named.passportId
      : ((await deps.answers.passport({ kind: "wallet", address }))?.passportId ?? null);
  if (passportId === null) return "unlisted";
  return { domain: deps.domain, address, action, passportId, uri: `${deps.config.publicUrl}/holder` };
}

/** The name of a passport that is shown; null if there is none, or if it cannot be read now. */
async function findName({ answers, holderSite }: KeyedDeps, passport: string): Promise<string | null> {
  const reference = parseReference(passport);
  if (reference?.kind !== "passport_id" || holderSite().links.people === null) return null;
  try {
    const found = await answers.passport(reference);
    if (found?.passportId !== reference.passportId) return null;
    return visibleName(parseAnswer<SinglePassport>(found).passport);
  } catch (error) {
    if (isUnavailable(error)) return null;
    throw error;
  }
}
