import { formatTime } from "../dates.ts";
import { html, type Safe } from "../html.ts";
import { errorAt, errorList, type FieldError } from "./form-errors.ts";
import { contractWallets } from "./holder-page.ts";
import { askLink, effectOf, type HolderSite, holderPage, steps, type Wish, writeToOperator } from "./holder-site.ts";
import { PROBLEMS } from "./problems.ts";

/** A text that waits for its signature. */
export type Signable = {
  message: string;
  /** The request in words, from the message. */
  statement: string;
  wish: Wish;
  address: string;
  isEvm: boolean;
  expiresAt: Date;
};

/** A signature that was not accepted, as it was typed. */
export type WrongSignature = { typed: string; problem: "signature" | "signature_form" };

/** Why an earlier text could not be used. This page has a new one. */
export type TextProblem = { heading: string; text: string };

/** The second step: the text, and its signature. */
export function signPage(
  site: HolderSite,
  signable: Signable,
  wrong: WrongSignature | null = null,
  problem: TextProblem | null = null,
): Safe {
  const { wish, address, message, isEvm, expiresAt } = signable;
  const heading = `Sign to ${wish} your record${wish === "show" ? " again" : ""}`;
  const errors = wrong === null ? [] : [describeWrong(site, wrong, signable)];
  const isDemo = site.demoHolder?.address === address;
  const form = signatureForm(site, signable, errors, wrong?.typed ?? "");
  return holderPage(site, {
    title: `${wrong === null && problem === null ? "" : "Error: "}${heading}, step 2 of 3`,
    hasWalletScript: isEvm && !isDemo,
    main: html`<section class="narrow">
${steps(2)}
<p class="over">Step 2 of 3. <a href="${askLink(site, { edit: "form", wallet: address, want: wish })}">Back</a></p>
<h1>${heading}</h1>
<p>${effectOf(site, wish)}</p>
</section>
${problem !== null && html`<div class="note wrong narrow" role="alert"><h2>${problem.heading}</h2><p>${problem.text} Nothing was changed.</p></div>\n`}${errorList(errors)}<section class="card narrow" aria-label="Signature">
${isDemo ? demoWallet(site) : html`${isEvm && browserWallets(signable)}${pasteHint(site, signable)}`}
<div class="acts"><span class="pill">Valid ${wrong === null && "for 10 minutes, "}until <time datetime="${expiresAt.toISOString()}">${formatTime(expiresAt)}</time></span><form action="${site.links.holder}"><input type="hidden" name="wallet" value="${address}"><input type="hidden" name="want" value="${wish}"><button class="plain">New text</button></form></div>
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

const phoneAddress = ({ settings }: HolderSite, { address, wish }: Signable): string =>
  `${settings.publicUrl}/holder?${new URLSearchParams({ wallet: address, want: wish })}`;

function signatureForm(
  site: HolderSite,
  { message, address, isEvm }: Signable,
  errors: readonly FieldError[],
  typed: string,
): Safe {
  const { sentence, attributes } = errorAt(errors, "signature", "signature-hint");
  return html`<form class="stack ask" id="send" action="${site.links.to("/holder/requests")}" method="post" novalidate>
<input type="hidden" name="message" value="${message}">
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
  return isEvm && length === 132 ? "it has other characters, or another end" : `it has ${length} characters`;
}

function describeWrong(site: HolderSite, { typed, problem }: WrongSignature, { isEvm }: Signable): FieldError {
  const contract = html`If your wallet is a smart contract, this server cannot check it. ${writeToOperator(site.settings.operator)}`;
  const [short, text] =
    problem === "signature"
      ? ["The signature does not fit", PROBLEMS.signature]
      : ["The signature is not complete", `${PROBLEMS.signature_form} Here ${describeTyped(typed, isEvm)}.`];
  return { field: "signature", short, text: html`${text} ${contract}` };
}
