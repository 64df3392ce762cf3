import { html, type Safe } from "../html.ts";
import { contractWallets, explanations } from "./explanations.ts";
import { errorList } from "./form-errors.ts";
import { type HolderSite, holderPage, writeToOperator } from "./holder-site.ts";
import { type FormView, requestForm } from "./request-form.ts";

export type HolderView = FormView & {
  /** Why the last request was not accepted, if no field is the reason. */
  problem: Safe | null;
};

/** The first of two steps: which record, and what the holder wants. */
export function holderView(site: HolderSite, view: HolderView): Safe {
  const isOff = site.mode === "off";
  const { errors, problem, asksNumber = null, entered } = view;
  return holderPage(site, {
    title: errors.length > 0 || problem !== null ? "Error: Your record" : "Your record",
    main: html`<section>
<div class="head narrow"><h1>Your record</h1>${!isOff && html`<a href="${site.links.to("/holder/requests")}">State of a request</a>`}</div>
<p>If a passport here is about you, you decide whether it is shown.${isOff ? html` You can see all that is stored, have the record hidden, or have it erased.` : html` Two steps: say what you want, then sign it with your wallet.`}</p>
${isOff && byOperator(site)}
${site.mode === "review" && html`<p class="small soft">The operator looks at every request before anything happens.</p>`}
</section>
${
  !isOff &&
  html`<section aria-label="Your request">
${problem !== null && html`<div class="note wrong narrow" role="alert">${problem}</div>\n`}${errorList(errors)}${
  asksNumber !== null &&
  entered.passport === "" &&
  html`<p class="note narrow" role="status"><span>${NUMBER_REASONS[asksNumber]}</span></p>\n`
}${requestForm(site, view)}
</section>`
}
<section class="folds" aria-label="More about this">
${explanations(site)}${!isOff && contractWallets(site, null)}
<details><summary>Something in it is wrong</summary>
<p class="small">Somebody has to check it. ${writeToOperator(site.settings.operator)}</p></details>
</section>`,
  });
}

const NUMBER_REASONS = {
  unlisted: html`<b>No passport that is shown lists this wallet.</b> If yours is hidden, enter its number.`,
  hidden: html`<b>Which passport?</b> One that is hidden is found by its number only.`,
  other: html`<b>Which passport?</b> Enter its number.`,
};

const byOperator = ({ settings: { operator } }: HolderSite): Safe =>
  html`<p class="note"><span><b>This server takes requests by message.</b> ${writeToOperator(operator)} Name the number of the passport, one of its wallets, and what you want.</span></p>`;
