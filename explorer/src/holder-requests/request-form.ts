import { html, type Safe } from "../html.ts";
import { isolated, LONG_NAME } from "../people/names.ts";
import { errorAt, type FieldError } from "./form-errors.ts";
import type { Entered, ShownPassport } from "./form-faults.ts";
import {
  askLink,
  effectOf,
  type HolderAction,
  type HolderSite,
  needsMainWallet,
  writeToOperator,
} from "./holder-site.ts";

export type FormView = {
  entered: Entered;
  /** The entered passport, if it is shown in public. */
  shown: ShownPassport | null;
  errors: readonly FieldError[];
};

type Choice = Exclude<HolderAction, "withdraw">;

const CHOICES: Readonly<Record<Choice, string>> = {
  see: "See what is stored",
  hide: "Hide it",
  unhide: "Show it again",
  erase: "Erase it",
};

/** After the end of V1, nothing is shown that could be hidden. */
const AFTER_THE_END: readonly Choice[] = ["see", "erase"];

export const requestForm = (
  site: HolderSite,
  view: FormView,
): Safe => html`<form class="stack ask" action="${site.links.holder}" novalidate>
${view.shown === null ? numberField(site, view) : about(site, view, view.shown)}${
  view.entered.action === "withdraw" ? WITHDRAWAL : choice(site, view)
}
${walletField(view)}
<button>Continue</button>
</form>`;

function about(site: HolderSite, { entered: { action } }: FormView, { passportId, name }: ShownPassport): Safe {
  const another = askLink(site, { ...(action !== null && { edit: "form" as const, want: action }) });
  return html`<p><input type="hidden" name="passport" value="${passportId}">About <b>passport ${passportId}</b>${name !== null && html`, ${isolated(name, LONG_NAME)}`}. <a href="${another}">Another one</a></p>
`;
}

/** Without pages about people, nobody can look up a wallet. */
function numberField({ settings, links }: HolderSite, { entered: { passport, action }, errors }: FormView): Safe {
  const { sentence, attributes } = errorAt(errors, "passport", "passport-hint");
  const isNeeded = links.people === null || action === "unhide";
  return html`<div class="field"><label for="passport">Passport number</label>
<p class="small soft" id="passport-hint">${
    isNeeded
      ? html`It was in the address of the passport’s page when it was shown. If you do not know it: ${writeToOperator(settings.operator)}`
      : "Empty: we look for a shown passport that lists your wallet. A hidden one is found by its number only, which was in the address of its page."
  }</p>
${sentence}<input id="passport" name="passport" value="${passport}" autocomplete="off" inputmode="numeric"${attributes}${isNeeded && html` required`} maxlength="16"></div>
`;
}

function choice(site: HolderSite, { entered, errors }: FormView): Safe {
  const { sentence, describedBy } = errorAt(errors, "want");
  const option = (action: Choice): Safe =>
    html`<label class="choice"><input type="radio" name="want" value="${action}" required${action === entered.action && html` checked`}><span><b>${CHOICES[action]}</b>${needsMainWallet(action) && html` <span class="tag">main wallet</span>`}<br><span class="small soft">${effectOf(site, action)}</span></span></label>
`;
  const all = Object.keys(CHOICES) as Choice[];
  const first = site.hasEnded ? AFTER_THE_END : all;
  const others = all.filter((action) => !first.includes(action));
  const isOpen = others.some((action) => action === entered.action);
  return html`<fieldset id="want"${describedBy}><legend>What do you want?</legend>
${sentence}${first.map(option)}${
  others.length > 0 &&
  html`<details${isOpen && html` open`}><summary>Hide it, or show it again</summary>
<p class="small soft">V1 has ended: nobody is shown here either way.</p>
${others.map(option)}</details>`
}</fieldset>`;
}

const WITHDRAWAL = html`<input type="hidden" name="want" value="withdraw">`;

function whichWallet({ entered: { wallet, action }, shown }: FormView): string {
  if (action === "withdraw") return "The wallet that signed the request, or the main wallet of the passport.";
  if (shown !== null && shown.mainWallet === wallet)
    return `This is the main wallet of passport ${shown.passportId}: it can ask for everything. Another wallet of the passport can hide and show.`;
  return "To see or erase, use the main wallet of the passport. To hide or show, any of its wallets.";
}

function walletField(view: FormView): Safe {
  const { sentence, attributes } = errorAt(view.errors, "wallet", "wallet-hint");
  return html`<div class="field"><label for="wallet">Your wallet</label>
<p class="small soft" id="wallet-hint">${whichWallet(view)} You sign a short text: no transaction, no cost, no access to the wallet.</p>
${sentence}<input id="wallet" class="mono" name="wallet" value="${view.entered.wallet}" autocomplete="off" spellcheck="false" autocapitalize="off"${attributes} required maxlength="100"></div>`;
}
