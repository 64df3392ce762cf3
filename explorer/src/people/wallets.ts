import type { PassportDetail } from "@credence/contract/passport.ts";
import { formatCount } from "../dates.ts";
import { html, type Safe } from "../html.ts";
import type { SiteLinks } from "../site-links.ts";

/** More wallets are in a list of their own. */
const SHOWN = 5;

/** Whole addresses: a short form can be imitated. */
export function walletSection({ main_wallet, verified_wallets }: PassportDetail, links: SiteLinks): Safe {
  const others = verified_wallets.filter((wallet) => wallet !== main_wallet);
  const isMainVerified = main_wallet !== null && verified_wallets.includes(main_wallet);
  const wallets = [...(main_wallet === null ? [] : [main_wallet]), ...others];
  const items = wallets.map((wallet) => walletItem(wallet, wallet === main_wallet));
  const more = items.length - SHOWN;
  return html`<section aria-labelledby="wallets">
<h2 id="wallets">${wallets.length === 0 ? "Wallets" : formatCount(wallets.length, "wallet")}</h2>
${
  wallets.length === 0
    ? html`<p>None. Without a wallet, nobody can prove that this record is theirs: <a href="${links.about}">write to the operator</a>.</p>`
    : html`<ul class="plain-list">
${items.slice(0, SHOWN)}${
  more > 0 &&
  html`<li><details><summary>${formatCount(more, "more wallet")}</summary><ul class="plain-list">
${items.slice(SHOWN)}</ul></details></li>
`
}</ul>
<p class="soft small">Compare the whole address. A short form can be imitated.${
        main_wallet !== null && !isMainVerified && " The main wallet is not among the verified ones."
      }</p>`
}
</section>`;
}

const walletItem = (wallet: string, isMain: boolean): Safe =>
  html`<li><code class="mono all">${wallet}</code>${isMain && html` <span class="tag">main</span>`}</li>
`;
