import { type FormFault, holderView } from "@credence/explorer/holder-requests/holder-page.ts";
import { type RequestView, requestPage, unknownPage } from "@credence/explorer/holder-requests/request-page.ts";
import { signPage } from "@credence/explorer/holder-requests/sign-page.ts";
import type { FastifyInstance } from "fastify";
import type { Content } from "#core/http/respond/content.ts";
import { addRoute } from "#core/http/respond/respond.ts";
import { canonicalWallet } from "#core/identity/wallet-address.ts";
import { compressed } from "#explorer/site/page-content.ts";
import { kindOfAddress } from "#holders/proof/address.ts";
import { WISHES, type Wish } from "#holders/proof/message.ts";
import { wantsJson } from "./fields.ts";
import { holderContent, jsonContent, problemContent, signableOf } from "./holder-content.ts";
import type { KeyedDeps } from "./holder-deps.ts";
import { isCode } from "./requests.ts";

type Query = Readonly<Record<string, string | undefined>>;

/** The form, the text to sign, and the page of a request. Nothing is looked up before a signature. */
export function showRequests(app: FastifyInstance, deps: KeyedDeps): void {
  const { responder, holderSite, call } = deps;
  addRoute<{ Querystring: Query }>(app, "/holder", responder, ({ query, headers }) =>
    wantsJson(headers.accept) ? signableJson(query, deps) : compressed(headers, formOrText(query, deps)),
  );
  addRoute<{ Params: { code: string } }>(
    app,
    "/holder/requests/:code",
    responder,
    async ({ params: { code }, headers, ip }) => {
      const request = isCode(code) ? await call(ip, (requests) => requests.stateOf(code)) : null;
      if (wantsJson(headers.accept))
        return request === null ? problemContent("code", 404) : jsonContent(asJson(request));
      if (request === null) return holderContent(unknownPage(holderSite()), 404);
      return holderContent(requestPage(holderSite(), request, new Date()));
    },
  );
}

const asJson = ({ wish, state, note, receivedAt, dueAt, completedAt, passportIds }: RequestView) => ({
  wish,
  state,
  note,
  received_at: receivedAt,
  due_at: dueAt,
  completed_at: completedAt,
  passport_ids: passportIds,
});

function formOrText(query: Query, deps: KeyedDeps): Content {
  const site = deps.holderSite();
  // In a demo, its wallet is entered already.
  const asked = parseAsked({ wallet: site.demoHolder?.address, ...query });
  // The form always sends the wallet. Links to this page do not, or say that it is edited.
  const isAsked = query.wallet !== undefined && query.edit === undefined;
  if (!isAsked) return holderContent(holderView(site, { ...asked, errors: [], problem: null }));
  const signable = issue(asked, deps);
  if (signable === null) return holderContent(holderView(site, { ...asked, problem: null }), 400);
  return holderContent(signPage(site, signable));
}

function signableJson(query: Query, deps: KeyedDeps): Content {
  const asked = parseAsked(query);
  const signable = issue(asked, deps);
  if (signable === null) return problemContent(asked.errors[0] ?? "want", 400);
  const { message, statement, wish: want, address: wallet, domain, uri, nonce } = signable;
  const { issuedAt: issued_at, expiresAt: expires_at } = signable;
  return jsonContent({ message, statement, want, wallet, domain, uri, nonce, issued_at, expires_at });
}

type Asked = { wallet: string; wish: Wish | null; errors: FormFault[] };

function parseAsked({ wallet = "", want }: Query): Asked {
  const wish = WISHES.find((known) => known === want) ?? null;
  const address = canonicalWallet(wallet.trim());
  const errors: FormFault[] = [
    ...(wish === null ? (["want"] as const) : []),
    ...(kindOfAddress(address) === null ? (["wallet"] as const) : []),
  ];
  return { wallet: address, wish, errors };
}

/** A new text to sign; null if something is missing. */
const issue = ({ wallet, wish, errors }: Asked, deps: KeyedDeps) =>
  wish === null || errors.length > 0 ? null : signableOf(deps.issue(wish, wallet));
