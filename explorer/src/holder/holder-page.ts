import { html, type Safe } from "../html.ts";
import { effectTable } from "./effect-table.ts";
import { type HolderSite, holderPage, writeToOperator } from "./holder-site.ts";
import { type Prefilled, requestForm } from "./request-form.ts";
import { pasteStep, type Signable, signStep } from "./sign-steps.ts";

export type HolderView = {
  prefilled: Prefilled;
  /** The text to sign, once the record and the request are known. */
  signable: Signable | null;
  /** Why the last request was not accepted. */
  problem: Safe | null;
};

/** The way from a record to a request, in three steps. */
export function holderView(site: HolderSite, { prefilled, signable, problem }: HolderView): Safe {
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
${pasteStep(site, signable)}
</li>
</ol>
</section>`
}
${STORED}
${effectTable(site)}
${!isOff && contractWallets(site, prefilled, signable)}`,
  });
}

const PROOF = html`<p class="note"><span><b>The wallet is the proof.</b> You sign a short text with a wallet of the record. Signing sends no transaction, costs nothing and gives nobody access to the wallet. Nobody here will ever ask for its recovery words.</span></p>`;

const byOperator = ({ settings: { operator } }: HolderSite): Safe =>
  html`<p class="note"><span><b>This server takes requests by message.</b> ${writeToOperator(operator)} Name the number of the passport, one of its wallets, and what you want.</span></p>`;

const STORED = html`<section aria-labelledby="stored">
<h2 id="stored">What is stored, and why the score is what it is</h2>
<p>A record has scores, a profile (name, text, location, tags), wallets, profiles elsewhere and credentials, as they were imported. The score is made of points for credentials. The page of a passport shows every credential with its points. “See what is stored” also shows every change of the score in the last 90 days, and the credentials that caused it.</p>
</section>`;

/** Only a node of its blockchain could check the signature of such a wallet. */
function contractWallets({ settings }: HolderSite, { passport, wallet }: Prefilled, signable: Signable | null): Safe {
  const domain = new URL(settings.publicUrl).host;
  const wish = signable?.statement ?? "Please hide / show / erase my record, or send me what is stored. (Choose one.)";
  return html`<section aria-labelledby="contract">
<h2 id="contract">If your wallet is a smart contract, or cannot sign</h2>
<p>This server cannot check the signature of a smart-contract wallet such as a multi-signature wallet. The operator can. ${writeToOperator(settings.operator)} For example:</p>
<pre><code id="letter">Passport ${passport || "(its number)"} on ${domain} is about me.
Its wallet ${wallet || "(its address)"} cannot sign the text of your page.
${wish}
How can I prove that the wallet is mine?</code></pre>
<p><button class="plain" type="button" data-copy-from="letter" hidden>Copy<span class="vh"> the letter</span></button></p>
</section>`;
}
