import { html, type Safe } from "../html.ts";
import { ACTION_NAMES, graceText, type HolderAction, type HolderSite } from "./holder-site.ts";

/** As the holder typed it, or as a link filled it in. Null: nothing is chosen. */
export type Prefilled = { passport: string; wallet: string; action: HolderAction | null };

type Choice = readonly [action: HolderAction, effect: string];

const choices = (site: HolderSite): readonly Choice[] => [
  ["see", "All of it, and what changed the score in the last 90 days. Needs the main wallet."],
  ["hide", "Nothing is shown any more, everything stays stored. You can undo this."],
  ["unhide", "Undoes hiding."],
  ["withdraw", "Ends what you asked for and what is not done yet. The main wallet ends all requests about the record."],
  [
    "erase",
    `Hidden at once, erased after ${graceText(site)}. Until then you can withdraw, afterwards nobody can undo it. Needs the main wallet.`,
  ],
];

export const requestForm = (
  site: HolderSite,
  { passport, wallet, action }: Prefilled,
): Safe => html`<form class="stack" action="${site.links.to("/holder#sign")}">
<label for="passport">Passport number</label>
<div class="find"><input id="passport" name="passport" value="${passport}" inputmode="numeric" required maxlength="16" autocomplete="off" aria-describedby="passport-hint"></div>
<p class="small soft" id="passport-hint">It is on the page of your passport. To find that page, search for your wallet.</p>
<label for="wallet">Address of the wallet that signs</label>
<div class="find"><input id="wallet" name="wallet" value="${wallet}" required maxlength="100" spellcheck="false" autocapitalize="off" autocomplete="off"></div>
<fieldset>
<legend>What do you want?</legend>
${choices(site).map(
  ([name, effect]) =>
    html`<label class="choice"><input type="radio" name="want" value="${name}" required${name === action && html` checked`}><span><b>${ACTION_NAMES[name]}</b><br><span class="small soft">${effect}</span></span></label>
`,
)}</fieldset>
<button>Prepare the text to sign</button>
</form>`;
