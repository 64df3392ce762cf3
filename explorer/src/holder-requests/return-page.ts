import { html, type Safe } from "../html.ts";
import { errorAt, errorList, type FieldError } from "./form-errors.ts";
import { askLink, type HolderSite, holderPage } from "./holder-site.ts";

/** `form`: the text contains no code. `unknown`: no request has this code. */
export type ReturnProblem = "form" | "unknown";

const ERRORS: Readonly<Record<ReturnProblem, FieldError>> = {
  form: {
    field: "receipt",
    short: "The text contains no code",
    text: "This text contains no code. A code has eight groups of four digits or letters, such as 83f2-0c1d-….",
  },
  unknown: {
    field: "receipt",
    short: "No request has this code",
    text: "No request has this code. Codes expire: 90 days after completion, 1 day after a refusal because the passport does not list the wallet.",
  },
};

/** The way back to a request, with the whole text of its receipt. */
export function returnPage(site: HolderSite, typed = "", problem: ReturnProblem | null = null): Safe {
  const errors = problem === null ? [] : [ERRORS[problem]];
  const { sentence, attributes } = errorAt(errors, "receipt", "receipt-hint");
  return holderPage(site, {
    title: `${problem === null ? "" : "Error: "}Come back to a request`,
    main: html`<section class="card narrow">
<h1>Come back to a request</h1>
${errorList(errors)}<form class="stack ask" action="${site.links.to("/holder/requests/state")}" method="post" novalidate>
<div class="field"><label for="receipt">Receipt</label>
<p class="small soft" id="receipt-hint">Paste the whole text of the receipt file, or only the code. With the code alone you see the state and can cancel; your data also needs the secret.</p>
${sentence}<textarea id="receipt" name="receipt" rows="5" required maxlength="2000" spellcheck="false" autocapitalize="off" autocomplete="off"${attributes}>${typed}</textarea></div>
<button>Show my request</button>
</form>
</section>
${lostReceipt(site)}`,
  });
}

export const lostReceipt = (site: HolderSite): Safe => html`<section class="folds" aria-label="More about this">
<details><summary>I lost the receipt</summary>
<p class="small">To cancel an open request, <a href="${askLink(site, { want: "withdraw" })}">sign again with the same wallet</a>: no code is needed. To see your data, <a href="${askLink(site, { want: "see" })}">ask again</a>; it takes two minutes.</p></details>
</section>`;
