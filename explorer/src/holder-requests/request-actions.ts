import { html, type Link, link, type Safe } from "../html.ts";
import { askLink, type HolderAction, type HolderSite } from "./holder-site.ts";
import { hasData, isOpen, isUnlisted, type RequestPage } from "./request-view.ts";

/** What the holder can do next, the most likely first. Buttons send the form of the page; it carries code and secret. */
export function actionsOf(site: HolderSite, { request, signed }: Pick<RequestPage, "request" | "signed">): Safe {
  const { action, state } = request;
  const { links } = site;
  const loadAgain = (look: string | null): Safe =>
    html`<button${look !== null && html` class="${look}"`}>Load again</button>`;
  const cancel = (look: string | null, label: string): Safe =>
    html`<button${look !== null && html` class="${look}"`} formaction="${links.to("/holder/requests/withdraw")}">${label}</button>`;
  const ask = (want: HolderAction, label: string, look = "ghost"): Safe =>
    button(askLink(site, { passport: signed?.passportId, wallet: signed?.address, want }), label, look);
  /** With the number, and another wallet. */
  const askOther = (label: string, want: HolderAction = action): Safe =>
    button(askLink(site, { passport: signed?.passportId, want }), label, null);
  const open = (look: string | null, label: string): Safe | false =>
    signed !== null &&
    links.people !== null &&
    button(links.to(`/passports/${signed.passportId}`), `${label} ${signed.passportId}`, look);

  if (state === "waiting") return html`${cancel(null, "Cancel the erasure")}${loadAgain("ghost")}`;
  if (isOpen(state)) return html`${loadAgain(null)}${cancel("ghost", "Cancel the request")}`;
  if (request.isRefusedForMain)
    return html`${askOther("Ask again with the main wallet")}${ask("hide", "Hide it instead")}`;
  if (isUnlisted(request)) return html`${askOther("Ask again")}${open("ghost", "Compare with passport")}`;
  if (state === "refused") return askOther("Ask again");
  if (state === "replaced")
    return html`${button(links.to("/holder/requests"), "Come back to the later request", "ghost")}`;
  if (state === "withdrawn")
    return html`${open(null, "Open passport")}${button(askLink(site, { passport: signed?.passportId }), "Ask for something else", "ghost")}`;
  switch (action) {
    case "hide":
      return html`${ask("unhide", "Show it again")}${ask("see", "See what is stored")}${ask("erase", "Erase it")}`;
    case "unhide":
    case "withdraw":
      return html`${open("ghost", "Open passport")}${ask("see", "See what is stored")}${ask("hide", "Hide it")}${ask("erase", "Erase it")}`;
    case "erase":
      return button(links.home, "Go to the first page", "ghost");
    case "see":
      return hasData(request)
        ? html`<button name="as" value="file" formaction="${links.to("/holder/requests/data")}">Download everything (JSON)</button>${ask("hide", "Hide it")}${ask("erase", "Erase it")}${somethingWrong(site)}`
        : ask("see", "Ask again");
  }
}

const somethingWrong = ({ settings: { operator } }: HolderSite): Safe | false =>
  operator.contact !== null && button(link(operator.contact), "Something is wrong", "ghost");

const button = (url: Link, label: string, look: string | null): Safe =>
  html`<a class="button${look !== null && ` ${look}`}" href="${url}">${label}</a>`;
