import { html, type Safe } from "../html.ts";
import type { HolderSite } from "./holder-site.ts";

/** A text that waits for its signature. */
export type Signable = {
  message: string;
  /** The request in words, from the message. */
  statement: string;
  address: string;
  isEvm: boolean;
  expiresAt: Date;
};

export function signStep(signable: Signable | null): Safe {
  if (signable === null)
    return html`<p class="small soft">The text names this server, your wallet and your request. It is valid for ten minutes.</p>`;
  const { message, address, isEvm, expiresAt } = signable;
  return html`<p class="small">Check that the text names this server and what you want. Sign it unchanged, before <time datetime="${expiresAt.toISOString()}">${expiresAt.toISOString().slice(11, 19)} UTC</time>.</p>
<pre><code id="message">${message}</code></pre>
<p><button class="plain" type="button" data-copy-from="message" hidden>Copy<span class="vh"> the text</span></button></p>
${
  isEvm
    ? html`<div class="stack" id="wallets" data-address="${address}" hidden>
<p class="small">Wallets in this browser:</p>
<div class="inline" id="wallet-list"></div>
<p class="small" id="wallet-state" role="status"></p>
</div>
<p class="small soft">Without a wallet in this browser, use the “sign message” function of your wallet software.</p>`
    : html`<p class="small soft">Use a tool that signs a message with your Solana wallet. It must sign exactly this text.</p>`
}`;
}

/** A signature that was not accepted, as it was typed. */
export type WrongSignature = { signature: string; problem: "signature" | "signature_form" };

export function pasteStep({ links }: HolderSite, signable: Signable | null, wrong?: WrongSignature): Safe {
  if (signable === null)
    return html`<p class="small soft">A wallet in this browser does it for you. You can also paste a signature that was made elsewhere.</p>`;
  const { message, statement, isEvm } = signable;
  const form = isEvm
    ? "It begins with 0x and has 132 characters."
    : "It has 86 to 88 characters (base58 or base64), or 128 digits (hex).";
  return html`<form class="stack" id="send" action="${links.to("/holder/requests")}" method="post">
<input type="hidden" name="message" value="${message}">
<label for="signature">Signature</label>
${wrong !== undefined && html`<p class="wrong small" id="signature-wrong"><b>Error:</b> ${describeWrong(wrong, form)}</p>`}
<textarea id="signature" name="signature" rows="3" required maxlength="2000" spellcheck="false" autocapitalize="off" autocomplete="off" aria-describedby="signature-hint${wrong !== undefined && " signature-wrong"}"${wrong !== undefined && html` aria-invalid="true"`}>${wrong?.signature ?? ""}</textarea>
<p class="small soft" id="signature-hint">${form} If it does not fit the text and the wallet, nothing happens, and the next page says so.</p>
<button>Send: ${statement}</button>
</form>`;
}

const describeWrong = ({ signature, problem }: WrongSignature, form: string): string =>
  problem === "signature"
    ? "This signature was made by another wallet, or for another text."
    : `This is not a complete signature. ${form.replace(/\.$/, "")}; yours has ${[...signature].length}.`;
