import { formatDate, formatEnd, formatMoment } from "./dates.ts";
import { deprecationStrip, type Frame } from "./frame.ts";
import { html, type Link, link, type Safe } from "./html.ts";

/** The mark of Credence in 24 by 24: three bars, cut out of a tile. */
export const MARK_PATH =
  "M4 0h16a4 4 0 0 1 4 4v16a4 4 0 0 1-4 4H4a4 4 0 0 1-4-4V4a4 4 0 0 1 4-4zm1 5v3h9V5zm0 5.5v3h6v-3zM5 16v3h14v-3z";

type Page = {
  title: string;
  description: string;
  current: "leaderboard" | "docs" | "deprecation" | "about" | "holder" | null;
  /** Further elements of the head, such as the canonical address. */
  head?: Safe;
  /** A line about V1 above the content, unless the page says it itself. */
  hasStrip?: boolean;
  main: Safe;
  /** The header has a search field, unless the page has one itself. */
  hasSearch?: boolean;
  /** When the list was built that the page shows. */
  builtAt?: Date | undefined;
};

const LOGO = html`<svg width="22" height="22" viewBox="0 0 24 24" aria-hidden="true"><path d="${MARK_PATH}"/></svg>`;

export const time = (date: Date): Safe => html`<time datetime="${date.toISOString()}">${formatDate(date)}</time>`;

/** The end of V1, always with its hour. */
export const endTime = (date: Date): Safe => html`<time datetime="${date.toISOString()}">${formatEnd(date)}</time>`;

export const alternate = (type: string, url: Link): Safe => html`<link rel="alternate" type="${type}" href="${url}">
`;

export function layout(frame: Frame, { hasStrip = true, hasSearch = true, ...page }: Page): Safe {
  const { title, description, current, head, main, builtAt } = page;
  const { links, settings } = frame;
  const entry = (name: Page["current"], url: Link, text: string): Safe =>
    name === current ? html`<a href="${url}" aria-current="page">${text}</a>` : html`<a href="${url}">${text}</a>`;
  const { people } = links;
  const { name, privacyUrl } = settings.operator;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<meta name="description" content="${description}">
<link rel="stylesheet" href="${links.stylesheet}">
<link rel="icon" type="image/svg+xml" href="${links.icon}">
<script src="${links.script}" defer></script>
${head}</head>
<body>
<a class="skip" href="${link("#main")}">Skip to content</a>
<header>
<div class="top"><div class="in">
<a class="mark" href="${links.home}">${LOGO}Credence</a>
<nav aria-label="Main">
${people !== null && entry("leaderboard", people.leaderboard, "Leaderboard")}
${entry("docs", links.docs, "API")}
${entry("deprecation", links.deprecation, "Deprecation")}
${entry("about", links.about, "About")}
${entry("holder", links.holder, "Your record")}
</nav>
${people !== null && hasSearch && searchField(people.search)}</div></div>
${hasStrip && deprecationStrip(frame)}</header>
<main id="main">
${main}
</main>
<footer class="foot"><div class="in">
<p>A score is a signal, not a verdict.${builtAt !== undefined && html` List built <time datetime="${builtAt.toISOString()}">${formatMoment(builtAt)}</time>.`}</p>
<nav aria-label="Footer">
<a href="${links.about}">${name === null ? "About this server" : html`<span>Run by <bdi>${name}</bdi></span>`}</a>
${privacyUrl !== null && html`<a href="${link(privacyUrl)}">Privacy</a>`}
<button class="plain" type="button" data-theme-switch hidden>Theme: automatic</button>
</nav>
</div></footer>
</body>
</html>
`;
}

const searchField = (
  action: Link,
): Safe => html`<form class="find" role="search" aria-label="Find a passport" action="${action}">
<label class="vh" for="top-q">Name, wallet or passport number</label>
<input id="top-q" type="search" name="q" placeholder="Name or wallet" autocomplete="off" spellcheck="false">
<button>Find</button>
</form>
`;
