import { html, type Safe } from "../html.ts";
import { contractWallets, explanations } from "./explanations.ts";
import { errorList } from "./form-errors.ts";
import { askLink, effectOf, type HolderSite, holderPage, steps, writeToOperator } from "./holder-site.ts";
import { type FormView, requestForm } from "./request-form.ts";

export type HolderView = FormView & {
  /** Why the last request was not accepted, if no field is the reason. */
  problem: Safe | null;
};

/** The first step: which record, and what the holder wants. */
export function holderView(site: HolderSite, view: HolderView): Safe {
  const { errors, problem } = view;
  const isWrong = errors.length > 0 || problem !== null;
  if (site.mode === "off") return byOperator(site);
  const isCancelling = view.entered.action === "withdraw";
  const heading = isCancelling ? "Cancel your requests" : "Your record";
  return holderPage(site, {
    title: `${isWrong ? "Error: " : ""}${heading}, step 1 of 3`,
    main: html`<section class="narrow">
${steps(1)}
<div class="head"><h1>${heading}</h1><a href="${site.links.to("/holder/requests")}">Come back to a request</a></div>
${isCancelling ? cancelling(site) : intro(site)}
${demoNote(site, view)}</section>
<section class="card narrow" aria-label="Your request">
${problem !== null && html`<div class="note wrong" role="alert">${problem}</div>\n`}${errorList(errors)}${requestForm(site, view)}
</section>
<p class="small soft">Nobody here ever asks for your recovery words.</p>
<section class="folds" aria-label="More about this">
${explanations(site)}${contractWallets(site, null)}
${wrongData(site)}
</section>`,
  });
}

const intro = (site: HolderSite): Safe =>
  site.hasEnded
    ? html`<p>Step 1 of 3. V1 has ended, and you can still see or erase what is stored. What waits can be <a href="${askLink(site, { want: "withdraw" })}">cancelled</a>.</p>`
    : html`<p>Step 1 of 3. Say what you want; then you sign it with your wallet.${site.mode === "review" && " The operator looks at every request before anything happens."}</p>`;

const cancelling = (site: HolderSite): Safe =>
  html`<p>Step 1 of 3. ${effectOf(site, "withdraw")} <a href="${site.links.holder}">Ask for something else</a></p>`;

function demoNote(site: HolderSite, { entered }: FormView): Safe | false {
  if (site.demoHolder === null) return false;
  const { passportId, address } = site.demoHolder;
  return html`<p class="note"><span><b>This is a demo.</b> ${
    entered.wallet === address
      ? "The wallet below is the demo wallet, which signs here by a button."
      : html`Passport ${passportId} belongs to the demo wallet, which signs here by a button. <a href="${askLink(site, { edit: "form", passport: passportId, wallet: address, ...(entered.action !== null && { want: entered.action }) })}">Try it with this passport</a>`
  }</span></p>
`;
}

const wrongData = ({ settings }: HolderSite): Safe => html`<details><summary>Something in it is wrong</summary>
<p class="small">Somebody has to check it. ${writeToOperator(settings.operator)}</p></details>`;

/** A server that takes no requests here. */
function byOperator(site: HolderSite): Safe {
  const { operator } = site.settings;
  return holderPage(site, {
    title: "Your record",
    main: html`<section class="narrow">
<h1>Your record</h1>
<p>If a passport here is about you, you decide whether it is shown. You can see all that is stored, have the record hidden, or have it erased.</p>
</section>
<section class="card narrow">
${
  operator.contact === null
    ? html`<h2>This page takes no requests</h2>
<p>Ask the operator. This server names no contact: ask where you found its address.</p>`
    : html`<h2>This server takes requests by message</h2>
<p>${writeToOperator(operator)} Name the number of the passport, one of its wallets, and what you want.</p>`
}
</section>
<section class="folds" aria-label="More about this">
${explanations(site)}${wrongData(site)}
</section>`,
  });
}
