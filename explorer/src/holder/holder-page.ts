import { html, type Safe } from "../html.ts";
import { explanations } from "./explanations.ts";
import { type HolderSite, holderPage, writeToOperator } from "./holder-site.ts";
import { type Prefilled, requestForm } from "./request-form.ts";
import { pasteStep, type Signable, signStep, type WrongSignature } from "./sign-steps.ts";

export type HolderView = {
  prefilled: Prefilled;
  /** The text to sign, once the record and the request are known. */
  signable: Signable | null;
  /** Why the last request was not accepted. */
  problem: Safe | null;
  /** The signature that was not accepted. */
  wrong?: WrongSignature;
};

/** The way from a record to a request, in three steps. */
export function holderView(site: HolderSite, { prefilled, signable, problem, wrong }: HolderView): Safe {
  const isOff = site.mode === "off";
  return holderPage(site, {
    title: "Your record",
    hasWalletScript: signable?.isEvm ?? false,
    main: html`<section>
<h1>Your record</h1>
<p>If a passport here is about you, you decide whether it is shown. You can see all that is stored, learn why the score is what it is, have the record hidden, or have it erased.</p>
${isOff ? byOperator(site) : PROOF}
${problem !== null && html`<div class="note" role="alert">${problem}</div>`}
</section>
${
  !isOff &&
  html`<section aria-labelledby="ask">
<div class="head"><h2 id="ask">Ask in three steps</h2><a href="${site.links.to("/holder/requests")}">State of a request</a></div>
${site.mode === "review" && html`<p class="small soft">The operator looks at every request before anything happens.</p>`}
<ol class="steps">
<li>
<h3>Say which record, and what you want</h3>
${requestForm(site, prefilled)}
</li>
<li${signable !== null && html` id="sign"`}>
<h3>Sign a text with your wallet</h3>
${signStep(signable)}
</li>
<li>
<h3>Send the signature</h3>
${pasteStep(site, signable, wrong)}
</li>
</ol>
</section>`
}
${explanations(site, prefilled, signable)}`,
  });
}

const PROOF = html`<p class="note"><span><b>The wallet is the proof.</b> You sign a short text with a wallet of the record. Signing sends no transaction, costs nothing and gives nobody access to the wallet. Nobody here will ever ask for its recovery words.</span></p>`;

const byOperator = ({ settings: { operator } }: HolderSite): Safe =>
  html`<p class="note"><span><b>This server takes requests by message.</b> ${writeToOperator(operator)} Name the number of the passport, one of its wallets, and what you want.</span></p>`;
