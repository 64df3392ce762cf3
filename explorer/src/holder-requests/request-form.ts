import { html, type Safe } from "../html.ts";
import { clip, LONG_NAME } from "../people/names.ts";
import { errorAt, type FieldError } from "./form-errors.ts";
import { ACTION_NAMES, effectOf, type HolderAction, type HolderSite, writeToOperator } from "./holder-site.ts";
import { PROBLEMS } from "./problems.ts";

/** As the holder typed it, or as a link filled it in. Null: nothing is chosen. */
export type Entered = { passport: string; wallet: string; action: HolderAction | null };

export type FormView = {
  entered: Entered;
  /** Of the entered passport, if it is shown in public. */
  name?: string | null;
  /** Why the number is asked for; null if it is known, or found by the wallet. */
  asksNumber?: "unlisted" | "hidden" | "other" | null;
  errors: readonly FieldError[];
};

/** To withdraw is asked for on the page of a request. */
const CHOICES: readonly HolderAction[] = ["see", "hide", "unhide", "erase"];

/** One field, unless the number of the passport is needed. */
export const requestForm = (
  site: HolderSite,
  view: FormView,
): Safe => html`<form class="stack ask" action="${site.links.holder}" novalidate>
${!numberIsAsked(site, view) && about(site, view)}${walletField(view)}
${numberIsAsked(site, view) && numberField(site, view)}${
  view.entered.action === "withdraw" ? withdrawal(site) : choice(site, view)
}
<button>Continue</button>
</form>`;

/** Without pages about people, nobody can look up a wallet. */
const numberIsAsked = ({ links }: HolderSite, { entered, asksNumber = null, errors }: FormView): boolean =>
  errors.some(({ field }) => field === "passport") ||
  (entered.passport === "" && (asksNumber !== null || links.people === null));

const about = ({ links }: HolderSite, { entered: { passport }, name }: FormView): Safe | false =>
  passport !== "" &&
  html`<input type="hidden" name="passport" value="${passport}"><p>About <b>passport ${passport}</b>${typeof name === "string" && html`, <bdi>${clip(name, LONG_NAME)}</bdi>`}. <a href="${links.holder}">Another one</a></p>
`;

function walletField({ entered: { wallet }, errors }: FormView): Safe {
  const { sentence, attributes } = errorAt(errors, "wallet", "wallet-hint");
  return html`<div class="field"><label for="wallet">Wallet address</label>
<p class="small soft" id="wallet-hint">A wallet that the passport lists. You sign a short text with it: no transaction, no cost, no access to the wallet. Nobody here ever asks for its recovery words.</p>
${sentence}<input id="wallet" name="wallet" value="${wallet}" autocomplete="off" spellcheck="false" autocapitalize="off"${attributes} required maxlength="100"></div>`;
}

function numberField({ settings }: HolderSite, { entered: { passport }, errors }: FormView): Safe {
  const { sentence, attributes } = errorAt(errors, "passport", "passport-hint");
  return html`<div class="field"><label for="passport">Passport number</label>
<p class="small soft" id="passport-hint">It was in the address of the passport’s page when it was shown. If you do not know it: ${writeToOperator(settings.operator)}</p>
${sentence}<input id="passport" name="passport" value="${passport}" autocomplete="off" inputmode="numeric"${attributes} required maxlength="16"></div>
`;
}

function choice(site: HolderSite, { entered, errors }: FormView): Safe {
  const { sentence, describedBy } = errorAt(errors, "want");
  return html`<fieldset id="want"${describedBy}><legend>What do you want?</legend>
${sentence}${CHOICES.map(
  (action) =>
    html`<label class="choice"><input type="radio" name="want" value="${action}" required${action === entered.action && html` checked`}><span><b>${ACTION_NAMES[action]}</b><br><span class="small soft">${effectOf(site, action)}</span></span></label>
`,
)}</fieldset>`;
}

const withdrawal = (site: HolderSite): Safe =>
  html`<div><input type="hidden" name="want" value="withdraw"><p><b>You withdraw what you asked for.</b> ${effectOf(site, "withdraw")} <a href="${site.links.holder}">Ask for something else</a></p></div>`;

export type WrongField = "wallet" | "passport" | "want";

/** The errors of the form in words, in the order of its fields. */
export const errorsOf = (site: HolderSite, wrong: ReadonlySet<WrongField>, entered: Entered): FieldError[] =>
  (["wallet", "passport", "want"] as const)
    .filter((field) => wrong.has(field))
    .map((field) => ({ field, ...describe(site, field, entered) }));

function describe(site: HolderSite, field: WrongField, { wallet, passport }: Entered): Omit<FieldError, "field"> {
  if (field === "passport" && passport === "")
    return { short: "The passport number is missing", text: "Enter the number of the passport." };
  if (field === "passport")
    return { short: "The passport number is not a number", text: "A passport number has only digits, such as 12." };
  if (field === "want") return { short: "Nothing is chosen", text: "Choose one of the four." };
  if (wallet === "")
    return { short: "The wallet address is missing", text: "Enter the address of a wallet of the record." };
  if (/^0x[0-9a-f]*$/i.test(wallet))
    return {
      short: "The wallet address is not complete",
      text: `This is not a whole wallet address. It begins with 0x and has 42 characters; yours has ${wallet.length}. Copy it from your wallet.`,
    };
  const { operator } = site.settings;
  return {
    short: "The wallet address cannot be used",
    text: html`${PROBLEMS.wallet} If your wallet is of another kind, the operator can help. ${writeToOperator(operator)}`,
  };
}
