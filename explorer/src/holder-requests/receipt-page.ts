import { formatMoment } from "../dates.ts";
import { html, type Safe } from "../html.ts";
import { shortWallet } from "../people/names.ts";
import { type HolderSite, holderPage } from "./holder-site.ts";

/** The code of a request, and the secret for data that is fetched later; null for other requests. */
export type Receipt = { code: string; secret: string | null };

export type ReceiptView = Receipt & {
  /** Whether it should have a secret, but was shown before. */
  isRepeated: boolean;
  statement: string;
  address: string;
  now: Date;
};

/** The same page for every passport: nothing was looked up yet. */
export function receiptPage(site: HolderSite, view: ReceiptView): Safe {
  const { code, secret, isRepeated, statement, address, now } = view;
  return holderPage(site, {
    title: "Receipt",
    main: html`<section>
<h1>Your request was received</h1>
<p>The signature fits the wallet. Now the server compares it with the record, usually within seconds${site.mode === "review" && ", and the operator decides"}. The state of the request says what happens next, also if it is refused.</p>
</section>
<section class="box narrow" aria-labelledby="receipt">
<h2 id="receipt">Receipt</h2>
<p><b>Keep the code${secret !== null && " and the secret"} now.</b> Nobody can show ${secret !== null ? "them" : "it"} again.</p>
<dl class="keep">
${kept("code", "Code: shows the state of the request, and withdraws it", code)}${
  secret !== null &&
  kept("secret", "Secret: together with the code, fetches your data for 24 hours after it is ready", secret)
}</dl>
${isRepeated && html`<p class="small soft">You sent this text before, and its secret was shown then. Without the secret, ask again with a new text.</p>`}
<dl class="facts">
<dt>Request</dt><dd>${statement}</dd>
<dt>Signed by</dt><dd><code><bdi>${shortWallet(address)}</bdi></code></dd>
<dt>Received</dt><dd><time datetime="${now.toISOString()}">${formatMoment(now)}</time></dd>
</dl>
<div class="side">
<form action="${site.links.to("/holder/requests/receipt")}" method="post">${hidden("code", code)}${secret !== null && hidden("secret", secret)}<button>Download the receipt</button></form>
<form action="${site.links.to("/holder/requests/state")}" method="post">${hidden("code", code)}<button class="second">Show the state</button></form>
</div>
</section>
<p class="small soft">This page does not say whether the passport lists the wallet: otherwise anybody could find out who has a record here. The state of the request says it, and needs the code.</p>`,
  });
}

/** A text to keep, with a button that copies it. */
const kept = (id: string, name: string, text: string): Safe =>
  html`<dt>${name}</dt><dd><code class="all" id="${id}">${text}</code></dd><dd><button class="plain" type="button" data-copy-from="${id}" hidden>Copy<span class="vh"> the ${id}</span></button></dd>
`;

const hidden = (name: string, value: string): Safe => html`<input type="hidden" name="${name}" value="${value}">`;

/** The receipt as a text to keep. */
export const receiptFile = ({ settings: { publicUrl } }: HolderSite, { code, secret }: Receipt): string =>
  [
    `Receipt of a request to ${publicUrl}`,
    "",
    `Code:   ${code}`,
    ...(secret === null ? [] : [`Secret: ${secret}`]),
    "",
    `The code shows the state of the request, and withdraws it: ${publicUrl}/holder/requests`,
    ...(secret === null ? [] : ["Code and secret together fetch your data, for 24 hours after it is ready."]),
    "Keep this file private: it gives everybody the same access.",
    "",
  ].join("\n");
