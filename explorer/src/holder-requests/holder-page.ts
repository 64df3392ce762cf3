import { formatSpan } from "../dates.ts";
import { html, type Safe } from "../html.ts";
import { errorAt, errorList, type FieldError } from "./form-errors.ts";
import { effectOf, type HolderSite, holderPage, steps, type Wish, writeToOperator } from "./holder-site.ts";
import { PROBLEMS } from "./problems.ts";

/** A field of the form that is missing, or cannot be used. */
export type FormFault = "want" | "wallet";

export type HolderView = {
  /** As the holder typed them, or as a link filled them in. */
  wallet: string;
  wish: Wish | null;
  errors: readonly FormFault[];
  /** Why the last request was not accepted, if no field is the reason. */
  problem: Safe | null;
};

/** The first step: which wallet, and what its holder wants. */
export function holderView(site: HolderSite, view: HolderView): Safe {
  if (site.mode === "off") return byOperator(site);
  const { problem } = view;
  const errors = view.errors.map((fault) => describeFault(site, fault, view.wallet));
  return holderPage(site, {
    title: `${errors.length > 0 || problem !== null ? "Error: " : ""}Your record, step 1 of 3`,
    main: html`<section class="narrow">
${steps(1)}
<h1>Your record</h1>
<p>Step 1 of 3. Say what you want; then you sign it with your wallet.${site.mode === "review" && " The operator looks at every request before anything happens."}${site.hasEnded && " V1 has ended, and you can still erase what is stored."}</p>
${demoNote(site, view)}</section>
<section class="card narrow" aria-label="Your request">
${problem !== null && html`<div class="note wrong" role="alert">${problem}</div>\n`}${errorList(errors)}<form class="stack ask" action="${site.links.holder}" novalidate>
${choice(site, view, errors)}
${walletField(view, errors)}
<button>Continue</button>
</form>
</section>
<p class="small soft">Nobody here ever asks for your recovery words.</p>
<section class="folds" aria-label="More about this">
${explanations(site)}${contractWallets(site, null)}
<details><summary>Something in it is wrong, or you want to see what is stored</summary>
<p class="small">Of a record that is shown, the API sends all that is stored; beside it are only decisions and requests about it. For a hidden one, or to have something corrected, somebody has to check who you are. ${writeToOperator(site.settings.operator)}</p></details>
</section>`,
  });
}

function describeFault(site: HolderSite, field: FormFault, wallet: string): FieldError {
  if (field === "want") return { field, short: "Nothing is chosen", text: "Choose what you want." };
  if (wallet === "")
    return { field, short: "The wallet address is missing", text: "Enter the address of your wallet." };
  if (/^0x[0-9a-f]*$/i.test(wallet))
    return {
      field,
      short: "The wallet address is not complete",
      text: `This is not a whole wallet address. It begins with 0x and has 42 characters; yours has ${wallet.length}. Copy it from your wallet.`,
    };
  return {
    field,
    short: "The wallet address cannot be used",
    text: html`${PROBLEMS.wallet} If your wallet is of another kind, the operator can help. ${writeToOperator(site.settings.operator)}`,
  };
}

const CHOICES: Readonly<Record<Wish, string>> = { hide: "Hide it", show: "Show it again", erase: "Erase it" };

function choice(site: HolderSite, { wish }: HolderView, errors: readonly FieldError[]): Safe {
  const { sentence, describedBy } = errorAt(errors, "want");
  const option = (value: Wish): Safe =>
    html`<label class="choice"><input type="radio" name="want" value="${value}" required${value === wish && html` checked`}><span><b>${CHOICES[value]}</b>${value === "erase" && html` <span class="tag">main wallet</span>`}<br><span class="small soft">${effectOf(site, value)}</span></span></label>
`;
  return html`<fieldset id="want"${describedBy}><legend>What do you want?</legend>
${sentence}${(Object.keys(CHOICES) as Wish[]).map(option)}</fieldset>`;
}

function walletField({ wallet }: HolderView, errors: readonly FieldError[]): Safe {
  const { sentence, attributes } = errorAt(errors, "wallet", "wallet-hint");
  return html`<div class="field"><label for="wallet">Your wallet</label>
<p class="small soft" id="wallet-hint">It finds your record, also a hidden one. To erase, use the main wallet of the record; to hide or show, any of its wallets. You sign a short text: no transaction, no cost, no access to the wallet.</p>
${sentence}<input id="wallet" class="mono" name="wallet" value="${wallet}" autocomplete="off" spellcheck="false" autocapitalize="off"${attributes} required maxlength="100"></div>`;
}

const demoNote = ({ demoHolder }: HolderSite, { wallet }: HolderView): Safe | false =>
  demoHolder?.address === wallet &&
  html`<p class="note"><span><b>This is a demo.</b> The wallet below is the demo wallet of passport ${demoHolder.passportId}, which signs here by a button.</span></p>
`;

/** What a holder may want to know before asking, folded: most know it already. */
function explanations(site: HolderSite): Safe {
  const isOff = site.mode === "off";
  return html`<details><summary>What each request does, and what remains</summary>
<dl class="facts">
<dt>Hide</dt><dd>The API and these pages answer as if the record had never existed. It leaves the list and the search at once. Copies in caches remain for two minutes; for up to an hour if this server is down.</dd>
<dt>Show again</dt><dd>The record is shown as before.${!isOff && " This undoes your hiding, not a decision of the operator. The main wallet cancels an erasure with it."}</dd>
<dt>Erase</dt><dd>${!isOff && `The record is hidden at once, and erased after ${formatSpan(site.graceMs)}. `}Scores, profile, wallets and credentials are deleted together. What remains: the passport number, and your wallets as hashes that only the operator can recognise, so that nobody adds you again; back-ups until they expire. Afterwards only the operator can let an import bring it back.</dd>
</dl>
<p class="small soft">Nobody can call back copies that others made from the public API. ${
    !isOff &&
    "The operator decides if a request would take a wallet from another record, or if several records list yours. Requests and their signatures are deleted 90 days after they are completed."
  }</p></details>`;
}

/** Only a node of its blockchain could check the signature of such a wallet. */
export function contractWallets({ settings }: HolderSite, letter: { address: string; statement: string } | null): Safe {
  const domain = new URL(settings.publicUrl).host;
  return html`<details><summary>My wallet is a smart contract, or cannot sign</summary>
<p class="small">This server cannot check the signature of such a wallet. ${settings.operator.contact !== null && "The operator can. "}${writeToOperator(settings.operator)} For example:</p>
<pre><code id="letter">A record on ${domain} is about me.
Its wallet ${letter?.address ?? "(its address)"} cannot sign the text of your page.
${letter?.statement ?? "Please hide / show / erase my record, or send me what is stored. (Choose one.)"}
How can I prove that the wallet is mine?</code></pre>
<p><button class="plain" type="button" data-copy-from="letter" hidden>Copy<span class="vh"> the letter</span></button></p></details>`;
}

/** A server that takes no requests here. */
function byOperator(site: HolderSite): Safe {
  const { operator } = site.settings;
  return holderPage(site, {
    title: "Your record",
    main: html`<section class="narrow">
<h1>Your record</h1>
<p>If a passport here is about you, you decide whether it is shown. You can have the record hidden, or erased.</p>
</section>
<section class="card narrow">
${
  operator.contact === null
    ? html`<h2>This page takes no requests</h2>
<p>Ask the operator. This server names no contact: ask where you found its address.</p>`
    : html`<h2>This server takes requests by message</h2>
<p>${writeToOperator(operator)} Name one of the wallets of the record, and what you want.</p>`
}
</section>
<section class="folds" aria-label="More about this">
${explanations(site)}
</section>`,
  });
}
