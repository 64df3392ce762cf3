import { html, type Safe } from "../html.ts";
import { shortWallet } from "../people/names.ts";
import { type HolderSite, holderPage } from "./holder-site.ts";

export type ReceiptView = {
  code: string;
  /** For data that is fetched later; null for other requests. */
  secret: string | null;
  /** Whether it should have a secret, but was shown before. */
  isRepeated: boolean;
  statement: string;
  address: string;
};

/** The same page for every passport: nothing was looked up yet. */
export const receiptPage = (site: HolderSite, { code, secret, isRepeated, statement, address }: ReceiptView): Safe =>
  holderPage(site, {
    title: "Receipt",
    main: html`<section>
<h1>Your request was received</h1>
<p>The signature fits the wallet. Now the server compares it with the record, usually within seconds${site.mode === "review" && ", and the operator decides"}. The state tells you what happened, also if the request is refused.</p>
<div class="box stack">
<h2>Receipt</h2>
<dl class="facts">
<dt>Request</dt><dd>${statement}</dd>
<dt>Signed by</dt><dd><code><bdi>${shortWallet(address)}</bdi></code></dd>
</dl>
<dl class="keep">
${kept("code", "Code: shows the state of the request, and withdraws it", code)}${
  secret !== null &&
  kept("secret", "Secret: together with the code, fetches your data for 24 hours after it is ready", secret)
}</dl>
<p class="small soft"><b>Print this page, or keep the code${secret !== null && " and the secret"}.</b> With the code you see the state of the request and can withdraw it.${secret !== null && " With both you fetch your data, for 24 hours after it is ready. Nobody can show the secret again."}${isRepeated && " You sent this text before, and its secret was shown then. Without the secret, ask again with a new text."}</p>
<form action="${site.links.to("/holder/requests/state")}" method="post">
<input type="hidden" name="code" value="${code}">
<button>Show the state</button>
</form>
</div>
<p><a href="${site.links.holder}">Ask for something else</a></p>
</section>`,
  });

/** A text to keep, with a button that copies it. */
const kept = (id: string, name: string, text: string): Safe =>
  html`<dt>${name}</dt><dd><code class="all" id="${id}">${text}</code></dd><dd><button class="plain" type="button" data-copy-from="${id}" hidden>Copy<span class="vh"> the ${id}</span></button></dd>
`;
