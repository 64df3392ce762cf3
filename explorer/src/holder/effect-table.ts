import { html, type Safe } from "../html.ts";
import { table } from "../table.ts";
import { graceText, type HolderSite, writeToOperator } from "./holder-site.ts";

export function effectTable(site: HolderSite): Safe {
  const isOff = site.mode === "off";
  const row = (head: string, second: string | Safe, cell: string) => ({
    head: html`<b>${head}</b>`,
    second: html`${second}`,
    cell: html`${cell}`,
  });
  return html`<section aria-labelledby="what">
<h2 id="what">What each request does</h2>
<div class="even">${table(
    { text: "What each request does", isHidden: true },
    ["You ask", "What happens", "What remains"],
    [
      row(
        "See what is stored",
        isOff
          ? "The operator sends you the whole record and its history."
          : "A file with the whole record and its history is prepared. You fetch it with the code of your receipt and a secret.",
        isOff ? "Nothing else." : "The file, for 24 hours.",
      ),
      row(
        "Be hidden",
        "The API and these pages answer as if the passport had never existed. It leaves the list and the search at once.",
        "The record, unseen. Copies in caches for two minutes; for up to an hour if this server is down.",
      ),
      row(
        "Be shown again",
        isOff
          ? "The record is shown as before."
          : "The record is shown as before. This undoes only a request of yours, not a decision of the operator.",
        "Nothing else.",
      ),
      row(
        "Be erased",
        `${isOff ? "" : `The record is hidden at once. After ${graceText(site)} it is erased. `}Scores, profile, wallets, credentials and history are deleted together. Later imports cannot bring them back.`,
        "The passport number, and your wallets as hashes that only the operator can recognise, so that nobody adds you again. Back-ups until they expire.",
      ),
      row(
        "Be corrected, or anything else",
        html`${writeToOperator(site.settings.operator)} Somebody has to check it.`,
        "The corrected record.",
      ),
    ],
  )}</div>
<p class="small soft">Nobody can call back copies that others made from the public API. ${
    !isOff &&
    "The operator decides if your request would change another person’s record, for example because you share a wallet. Requests and their signatures are deleted 90 days after they are completed."
  }</p>
</section>`;
}
