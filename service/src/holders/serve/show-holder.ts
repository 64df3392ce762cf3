import type { SinglePassport } from "@credence/contract/answers.ts";
import {
  type Entered,
  errorsOf,
  type FormFault,
  fieldOf,
  type ShownPassport,
} from "@credence/explorer/holder-requests/form-faults.ts";
import { holderView } from "@credence/explorer/holder-requests/holder-page.ts";
import { needsMainWallet } from "@credence/explorer/holder-requests/holder-site.ts";
import { type Signable, signPage } from "@credence/explorer/holder-requests/sign-page.ts";
import { visibleName } from "@credence/explorer/people/names.ts";
import type { FastifyInstance } from "fastify";
import { isDenied, isUnavailable } from "#core/database/failures.ts";
import type { Content } from "#core/http/respond/content.ts";
import { addRoute } from "#core/http/respond/respond.ts";
import { parseReference } from "#core/identity/reference.ts";
import { canonicalWallet } from "#core/identity/wallet-address.ts";
import { compressed } from "#explorer/site/page-content.ts";
import { kindOfAddress } from "#holders/proof/address.ts";
import type { MessageSubject } from "#holders/proof/issue-message.ts";
import { HOLDER_ACTIONS, type HolderAction, parseMessage, statementOf } from "#holders/proof/message.ts";
import { parseAnswer } from "#v1/answers/answers.ts";
import type { Answer } from "#v1/cache/answer-cache.ts";
import { holderContent, jsonContent, problemContent, signableOf } from "./holder-content.ts";
import type { KeyedDeps } from "./holder-deps.ts";
import { createSecret } from "./serve-requests.ts";

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
    const passport = parseReference(entered.passport)?.kind === "passport_id" ? entered.passport : "";
    const shown = await findShown(deps, passport);
    const wallet = query.wallet === undefined ? signableWallet(shown) : entered.wallet;
    return holderContent(
      holderView(site, { entered: { ...entered, passport, wallet }, shown, errors: [], problem: null }),
    );
  }
  const found = await findSubject(query, deps);
  const { subject, shown = null } = found;
  const faults = subject !== null && isRefusedForMain(subject, shown) ? new Set<FormFault>(["main"]) : found.faults;
  if (subject === null || faults.size > 0) {
    const about = shown ?? (await findShown(deps, entered.passport));
    const canonical = { ...entered, ...(subject !== null && { wallet: subject.address }) };
    const errors = errorsOf(site, faults, canonical, about);
    return holderContent(holderView(site, { entered: canonical, shown: about, errors, problem: null }), 400);
  }
  const secret = subject.action === "see" ? createSecret() : null;
  return holderContent(signPage(site, signableOf(deps.issue(subject)) as Signable, secret));
}

/** The main wallet of a passport that is shown, if it can sign here. */
const signableWallet = (shown: ShownPassport | null): string =>
  shown?.mainWallet && kindOfAddress(shown.mainWallet) !== null ? shown.mainWallet : "";

const isRefusedForMain = ({ action, address }: MessageSubject, shown: ShownPassport | null): boolean =>
  needsMainWallet(action) && shown !== null && shown.mainWallet !== address;

/** A program gets the text to sign with its parts; a browser asks for a page. */
const wantsJson = (accept = ""): boolean => accept.includes("application/json") && !accept.includes("text/html");

async function signableJson(query: Query, deps: KeyedDeps): Promise<Content> {
  const { subject, faults } = await findSubject(query, deps);
  if (subject === null) return problemContent(fieldOf([...faults][0] as FormFault), 400);
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

/** `shown`: the passport, if it was looked up and is shown. */
type Found = { subject: MessageSubject | null; faults: ReadonlySet<FormFault>; shown?: ShownPassport | null };

/**
 * What the text is about, or what is wrong. A passport is looked up only if the request needs its main
 * wallet, or if its number is not given; it then takes the same for every number that is not shown.
 */
async function findSubject(query: Query, deps: KeyedDeps): Promise<Found> {
  const { passport, wallet, action } = parseHolderQuery(query);
  const address = canonicalWallet(wallet);
  const named = passport === "" ? null : parseReference(passport);
  const faults = new Set<FormFault>();
  const isAsked = deps.holderSite().links.people === null;
  if ((passport !== "" || isAsked) && named?.kind !== "passport_id") faults.add("passport");
  if (kindOfAddress(address) === null) faults.add("wallet");
  if (action === null) faults.add("want");
  // A passport that the wallet finds is shown, so it is not the one meant.
  if (faults.size === 0 && named === null && action === "unhide") faults.add("hidden");
  if (faults.size > 0 || action === null) return { subject: null, faults };
  const subjectOf = (passportId: number): MessageSubject => {
    return { domain: deps.domain, address, action, passportId, uri: `${deps.config.publicUrl}/holder` };
  };
  if (named?.kind === "passport_id") {
    const shown = needsMainWallet(action) ? await findShown(deps, passport) : null;
    return { subject: subjectOf(named.passportId), faults, shown };
  }
  const answer = await deps.answers.passport({ kind: "wallet", address });
  const passportId = answer?.passportId ?? null;
  if (answer === null || passportId === null) return { subject: null, faults: new Set(["unlisted"]) };
  return { subject: subjectOf(passportId), faults, shown: shownOf(answer) };
}

/** What everybody can read about a passport; null if it is not shown, or cannot be read now. */
async function findShown({ answers, holderSite }: KeyedDeps, passport: string): Promise<ShownPassport | null> {
  const reference = parseReference(passport);
  if (reference?.kind !== "passport_id" || holderSite().links.people === null) return null;
  try {
    const answer = await answers.passport(reference);
    return answer?.passportId === reference.passportId ? shownOf(answer) : null;
  } catch (error) {
    if (isUnavailable(error) || isDenied(error)) return null;
    throw error;
  }
}

function shownOf(answer: Answer): ShownPassport {
  const { passport } = parseAnswer<SinglePassport>(answer);
  const { passport_id: passportId, main_wallet, verified_wallets } = passport;
  return {
    passportId,
    name: visibleName(passport),
    mainWallet: main_wallet === null ? null : canonicalWallet(main_wallet),
    wallets: verified_wallets.map(canonicalWallet),
  };
}
