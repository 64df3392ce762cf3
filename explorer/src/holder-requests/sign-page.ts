import { formatTime } from "../dates.ts";
import { html, type Safe } from "../html.ts";
import { contractWallets } from "./explanations.ts";
import { errorAt, errorList, type FieldError } from "./form-errors.ts";
import {
  askLink,
  effectOf,
  type HolderAction,
  type HolderSite,
  holderPage,
  steps,
  writeToOperator,
} from "./holder-site.ts";

/** A text that waits for its signature. */
export type Signable = {
  message: string;
  /** The request in words, from the message. */
  statement: string;
  action: HolderAction;
  passportId: number;
  address: string;
  isEvm: boolean;
  expiresAt: Date;
};

/**
 * For data that is fetched later, else null. The form has it already, so that sending the form again
 * shows the same page and not one without a secret.
 */
type Secret = string | null;

/** A signature that was not accepted, as it was typed. */
export type WrongSignature = { signature: string; problem: "signature" | "signature_form" };

const HEADINGS: Readonly<Record<HolderAction, string>> = {
  see: "Sign to see your data",
  hide: "Sign to hide your record",
  unhide: "Sign to show your record again",
  erase: "Sign to erase your record",
  withdraw: "Sign to cancel your requests",
};

/** The second step: the text, and its signature. */
export function signPage(site: HolderSite, signable: Signable, secret: Secret, wrong?: WrongSignature): Safe {
  const { action, passportId, address, message, isEvm } = signable;
  const heading = HEADINGS[action];
  const errors = wrong === undefined ? [] : [describeWrong(site, wrong, signable)];
  const isDemo = site.demoHolder?.address === address;
  const form = signatureForm(site, signable, secret, errors, wrong?.signature ?? "");
  return holderPage(site, {
    title: `${wrong === undefined ? "" : "Error: "}${heading}, step 2 of 3`,
    hasWalletScript: isEvm && !isDemo,
    main: html`<section class="narrow">
${steps(2)}
<p class="over">Step 2 of 3, passport ${passportId}. <a href="${askLink(site, fieldsOf(signable, "form"))}">Back</a></p>
<h1>${heading}</h1>
<p>${effectOf(site, action)}</p>
</section>
${errorList(errors)}<section class="card narrow" aria-label="Signature">
${isDemo ? demoWallet(site) : html`${isEvm && browserWallets(signable)}${pasteHint(site, signable)}`}
<div class="acts"><span class="pill">Valid ${wrong === undefined && "for 10 minutes, "}until <time datetime="${signable.expiresAt.toISOString()}">${formatTime(signable.expiresAt)}</time></span>${newText(site, signable, "plain")}</div>
<details id="text"${!isDemo && html` open`}><summary>The text that you sign</summary><pre><code id="message">${message}</code></pre>
<p><button class="plain" type="button" data-copy-from="message" hidden>Copy<span class="vh"> the text</span></button></p></details>
${!isDemo && form}
</section>
<section class="folds" id="ways" aria-label="Other ways">
<details id="elsewhere"${isDemo ? html`${errors.length > 0 && html` open`}` : html` hidden`}><summary>Sign elsewhere, and paste the signature</summary>
${isDemo && form}</details>
${contractWallets(site, signable)}
</section>`,
  });
}

/** The text cannot be used. A new one is about the same passport, wallet and wish. */
export const textPage = (site: HolderSite, signable: Signable, heading: string, reason: string): Safe =>
  holderPage(site, {
    title: `Error: ${heading}, step 2 of 3`,
    main: html`<section class="narrow">
${steps(2)}
<p class="over">Step 2 of 3, passport ${signable.passportId}.</p>
<h1>${HEADINGS[signable.action]}</h1>
</section>
<section class="card narrow" aria-labelledby="why">
<div class="stack" role="alert"><h2 id="why">${heading}</h2>
<p>${reason}</p></div>
<div class="acts">${newText(site, signable, null)}<a class="button ghost" href="${askLink(site, fieldsOf(signable, "form"))}">Change something</a></div>
</section>`,
  });

const fieldsOf = ({ passportId, address, action }: Signable, edit?: "form") => ({
  ...(edit !== undefined && { edit }),
  passport: passportId,
  wallet: address,
  want: action,
});

const newText = ({ links }: HolderSite, { passportId, address, action }: Signable, look: string | null): Safe =>
  html`<form action="${links.holder}"><input type="hidden" name="passport" value="${passportId}"><input type="hidden" name="wallet" value="${address}"><input type="hidden" name="want" value="${action}"><button${look !== null && html` class="${look}"`}>New text</button></form>`;

/** The server of a demo signs. */
const demoWallet = ({ links }: HolderSite): Safe => html`<div class="stack">
<h2>Sign with the demo wallet</h2>
<p class="acts"><button form="send" formaction="${links.to("/holder/demo-signature")}">Sign with the demo wallet</button></p>
<p class="small">Its key is in this demo only, and a new one with each start. A wallet of your own would ask you here, and sign the same text.</p>
</div>`;

const NO_COST = "Your wallet may call this “sign in”. It signs you in to nothing and costs nothing.";

/** The script fills it with the wallets of the browser. */
const browserWallets = ({
  address,
}: Signable): Safe => html`<div class="stack" id="wallets" data-address="${address}" hidden>
<h2>Sign with a wallet of this browser</h2>
<div class="acts" id="wallet-list"></div>
<p class="small" id="wallet-state" role="status">Choose the wallet with <code class="mono all">${address}</code>. ${NO_COST}</p>
</div>
`;

const pasteHint = (site: HolderSite, signable: Signable): Safe => html`<div class="stack" id="no-wallet">
<h2>Sign this text, and paste the signature</h2>
<p class="small">${signable.isEvm && "This browser shows no wallet. "}${NO_COST}</p>
${signable.isEvm && html`<p class="small"><b>On a phone</b>, open this page in the browser inside your wallet app: <code class="mono all">${phoneAddress(site, signable)}</code></p>`}
</div>`;

const phoneAddress = ({ settings }: HolderSite, { passportId, address, action }: Signable): string =>
  `${settings.publicUrl}/holder?${new URLSearchParams({ passport: String(passportId), wallet: address, want: action })}`;

function signatureForm(
  site: HolderSite,
  { message, address, isEvm }: Signable,
  secret: Secret,
  errors: readonly FieldError[],
  typed: string,
): Safe {
  const { sentence, attributes } = errorAt(errors, "signature", "signature-hint");
  return html`<form class="stack ask" id="send" action="${site.links.to("/holder/requests")}" method="post" novalidate>
<input type="hidden" name="message" value="${message}">${secret !== null && html`<input type="hidden" name="secret" value="${secret}">`}
<div class="field"><label for="signature">Signature of the text</label>
<p class="small soft" id="signature-hint">Sign the text unchanged with <code class="mono all">${address}</code> and paste the result. ${formOf(isEvm)}.</p>
${sentence}<textarea id="signature" name="signature" rows="3" required maxlength="2000" spellcheck="false" autocapitalize="off" autocomplete="off"${attributes}>${typed}</textarea></div>
<button>Send signature</button>
</form>`;
}

const formOf = (isEvm: boolean): string =>
  isEvm
    ? "It begins with 0x and has 132 characters"
    : "It has 86 to 88 characters (base58 or base64), or 128 digits (hex)";

function describeTyped(signature: string, isEvm: boolean): string {
  const { length } = [...signature];
  return isEvm && length === 132 ? "yours has other characters, or another end" : `yours has ${length}`;
}

function describeWrong(site: HolderSite, { signature, problem }: WrongSignature, { isEvm }: Signable): FieldError {
  const contract = html`If your wallet is a smart contract, this server cannot check it. ${writeToOperator(site.settings.operator)}`;
  return problem === "signature"
    ? {
        field: "signature",
        short: "The signature does not fit",
        text: html`This signature was made by another wallet, or for another text. ${contract}`,
      }
    : {
        field: "signature",
        short: "The signature is not complete",
        text: html`This is not a complete signature. ${formOf(isEvm)}; ${describeTyped(signature, isEvm)}. ${contract}`,
      };
}
