import { formatSpan } from "../dates.ts";
import { html, type Safe } from "../html.ts";
import { type HolderSite, writeToOperator } from "./holder-site.ts";

/** What a holder may want to know before asking, folded: most know it already. */
export function explanations(site: HolderSite): Safe {
  const isOff = site.mode === "off";
  return html`<details><summary>What each request does, and what remains</summary>
<dl class="facts">
<dt>See</dt><dd>${
    isOff
      ? "The operator sends you the whole record and its history."
      : "All that is stored, on a page and as a file, for 24 hours."
  }</dd>
<dt>Hide</dt><dd>The API and these pages answer as if the passport had never existed. It leaves the list and the search at once. Copies in caches remain for two minutes; for up to an hour if this server is down.</dd>
<dt>Show again</dt><dd>The record is shown as before.${!isOff && " This undoes your hiding, not a decision of the operator."}</dd>
<dt>Erase</dt><dd>${!isOff && `The record is hidden at once, and erased after ${formatSpan(site.graceMs)}. `}Scores, profile, wallets, credentials and history are deleted together. What remains: the passport number, and your wallets as hashes that only the operator can recognise, so that nobody adds you again; back-ups until they expire.</dd>
</dl>
<p class="small soft">Nobody can call back copies that others made from the public API. ${
    !isOff &&
    "The operator decides if a request would change another person’s record, for example because you share a wallet. Requests and their signatures are deleted 90 days after they are completed."
  }</p></details>`;
}

/** What a letter to the operator says. */
type Letter = { passportId: number; address: string; statement: string };

/** Only a node of its blockchain could check the signature of such a wallet. */
export function contractWallets({ settings }: HolderSite, letter: Letter | null): Safe {
  const domain = new URL(settings.publicUrl).host;
  return html`<details><summary>My wallet is a smart contract, or cannot sign</summary>
<p class="small">This server cannot check the signature of such a wallet. ${settings.operator.contact !== null && "The operator can. "}${writeToOperator(settings.operator)} For example:</p>
<pre><code id="letter">Passport ${letter?.passportId ?? "(its number)"} on ${domain} is about me.
Its wallet ${letter?.address ?? "(its address)"} cannot sign the text of your page.
${letter?.statement ?? "Please hide / show / erase my record, or send me what is stored. (Choose one.)"}
How can I prove that the wallet is mine?</code></pre>
<p><button class="plain" type="button" data-copy-from="letter" hidden>Copy<span class="vh"> the letter</span></button></p></details>`;
}
