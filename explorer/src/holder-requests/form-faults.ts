import { html, type Safe } from "../html.ts";
import type { FieldError } from "./form-errors.ts";
import { type HolderAction, type HolderSite, orWriteToOperator, writeToOperator } from "./holder-site.ts";
import { PROBLEMS } from "./problems.ts";

/** As the holder typed it, or as a link filled it in. Null: nothing is chosen. */
export type Entered = { passport: string; wallet: string; action: HolderAction | null };

/** What everybody can read about a passport that is shown. */
export type ShownPassport = {
  passportId: number;
  name: string | null;
  mainWallet: string | null;
  wallets: readonly string[];
};

/**
 * `unlisted`: no passport that is shown lists the wallet. `hidden`: a hidden one is found by its number
 * only. `main`: only the main wallet of the passport can ask for this.
 */
export type FormFault = "wallet" | "main" | "passport" | "unlisted" | "hidden" | "want";

const FIELDS: Readonly<Record<FormFault, "wallet" | "passport" | "want">> = {
  passport: "passport",
  unlisted: "passport",
  hidden: "passport",
  want: "want",
  wallet: "wallet",
  main: "wallet",
};

/** The field of the form that a fault is about. */
export const fieldOf = (fault: FormFault) => FIELDS[fault];

/** The errors of the form in words, in the order of its fields. */
export const errorsOf = (
  site: HolderSite,
  faults: ReadonlySet<FormFault>,
  entered: Entered,
  shown: ShownPassport | null,
): FieldError[] =>
  (Object.keys(FIELDS) as FormFault[])
    .filter((fault) => faults.has(fault))
    .map((fault) => ({ field: FIELDS[fault], ...describe(site, fault, entered, shown) }));

type Described = Omit<FieldError, "field">;

function describe(site: HolderSite, fault: FormFault, entered: Entered, shown: ShownPassport | null): Described {
  switch (fault) {
    case "passport":
      return entered.passport === ""
        ? { short: "The passport number is missing", text: "Enter the number of the passport." }
        : { short: "The passport number is not a number", text: "A passport number has only digits, such as 12." };
    case "unlisted":
      return {
        short: "No passport that is shown lists this wallet",
        text: "No passport that is shown lists this wallet. If yours is hidden, enter its number. Otherwise check the wallet.",
      };
    case "hidden":
      return {
        short: "The passport number is missing",
        text: "Enter the number of the passport. One that is hidden is found by its number only.",
      };
    case "want":
      return { short: "Nothing is chosen", text: "Choose what you want." };
    case "wallet":
      return describeWallet(site, entered.wallet);
    case "main":
      return describeMain(site, entered, shown);
  }
}

function describeWallet(site: HolderSite, wallet: string): Described {
  if (wallet === "")
    return { short: "The wallet address is missing", text: "Enter the address of a wallet of the record." };
  if (/^0x[0-9a-f]*$/i.test(wallet))
    return {
      short: "The wallet address is not complete",
      text: `This is not a whole wallet address. It begins with 0x and has 42 characters; yours has ${wallet.length}. Copy it from your wallet.`,
    };
  return {
    short: "The wallet address cannot be used",
    text: html`${PROBLEMS.wallet} If your wallet is of another kind, the operator can help. ${writeToOperator(site.settings.operator)}`,
  };
}

/** Said before signing. The worker would refuse the request. */
function describeMain({ settings }: HolderSite, { action, wallet }: Entered, shown: ShownPassport | null): Described {
  const [doing, verb] = action === "erase" ? ["Erasing", "erase"] : ["Seeing what is stored", "see what is stored"];
  const isListed = shown?.wallets.includes(wallet) ?? false;
  const entered: Safe = isListed
    ? html`You entered another wallet of this passport.`
    : html`Passport ${shown?.passportId} does not list the wallet that you entered.`;
  return {
    short: `${doing} needs the main wallet`,
    text:
      (shown?.mainWallet ?? null) === null
        ? html`To ${verb}, sign with the main wallet, but this passport has none: ${orWriteToOperator(settings.operator)}`
        : html`To ${verb}, sign with the main wallet, <code class="mono all">${shown?.mainWallet}</code>. ${entered} If the main wallet is not yours any more, ${orWriteToOperator(settings.operator)}`,
  };
}
