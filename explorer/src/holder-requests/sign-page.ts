import { html, type Link, type Safe } from "../html.ts";
import { shortWallet } from "../people/names.ts";
import { contractWallets } from "./explanations.ts";
import { errorAt, errorList, type FieldError } from "./form-errors.ts";
import { effectOf, type HolderAction, type HolderSite, holderPage, writeToOperator } from "./holder-site.ts";

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

/** A signature that was not accepted, as it was typed. */
export type WrongSignature = { signature: string; problem: "signature" | "signature_form" };

/** The second of two steps: the text, and its signature. */
export function signPage(site: HolderSite, signable: Signable, wrong?: WrongSignature): Safe {
  const { statement, passportId, expiresAt, message } = signable;
  const wish = statement.replace(/\.$/, "");
  const errors = wrong === undefined ? [] : [describeWrong(site, wrong, signable)];
  return holderPage(site, {
    title: `${wrong === undefined ? "" : "Error: "}Sign: ${wish}`,
    hasWalletScript: signable.isEvm,
    main: html`<section>
<p class="over">Step 2 of 2. <a href="${backTo(site, signable, "form")}">Back</a></p>
<h1>Sign: ${wish}</h1>
<p>Check that the text names this server and what you want. Sign it unchanged, before <time datetime="${expiresAt.toISOString()}">${expiresAt.toISOString().slice(11, 19)} UTC</time>. Not about passport ${passportId}? <a href="${backTo(site, signable, "number")}">Enter another number</a>.</p>
</section>
${errorList(errors)}<section aria-labelledby="text">
<div class="head"><h2 id="text">The text</h2><button class="plain" type="button" data-copy-from="message" hidden>Copy<span class="vh"> the text</span></button></div>
<pre><code id="message">${message}</code></pre>
${signable.isEvm && walletList(signable)}</section>
<section aria-labelledby="paste">
<h2 id="paste">The signature</h2>
${signatureForm(site, signable, errors, wrong?.signature ?? "")}
</section>
<section class="folds" aria-label="More about this">
${contractWallets(site, signable)}
</section>`,
  });
}

/** The form as it was filled in, or without the number. */
function backTo({ links }: HolderSite, { passportId, address, action }: Signable, edit: "form" | "number"): Link {
  const passport = edit === "form" ? { passport: String(passportId) } : {};
  return links.to(`/holder?${new URLSearchParams({ edit, ...passport, wallet: address, want: action })}`);
}

/** The script fills it with the wallets of the browser. */
const walletList = ({
  address,
}: Signable): Safe => html`<div class="stack" id="wallets" data-address="${address}" hidden>
<p class="small">Wallets in this browser:</p>
<div class="inline" id="wallet-list"></div>
<p class="small" id="wallet-state" role="status"></p>
</div>
`;

function signatureForm(site: HolderSite, signable: Signable, errors: readonly FieldError[], typed: string): Safe {
  const { message, statement, action, address, isEvm } = signable;
  const { sentence, attributes } = errorAt(errors, "signature", "signature-hint");
  return html`<form class="stack ask" id="send" action="${site.links.to("/holder/requests")}" method="post" novalidate>
<input type="hidden" name="message" value="${message}">
<div class="field"><label for="signature">Signature of the text</label>
<p class="small soft" id="signature-hint">${isEvm ? "Use “sign message” in your wallet software" : "Use a tool that signs exactly this text"} with <code><bdi>${shortWallet(address)}</bdi></code>, and paste the result. ${formOf(isEvm)}.</p>
${sentence}<textarea id="signature" name="signature" rows="3" required maxlength="2000" spellcheck="false" autocapitalize="off" autocomplete="off"${attributes}>${typed}</textarea></div>
<div class="side"><button>${statement.replace(/\.$/, "")}</button> <span class="small soft">${effectOf(site, action)}</span></div>
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
