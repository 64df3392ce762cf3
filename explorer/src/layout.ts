import { formatDate, formatTime } from "./dates.ts";
import { html, type Link, link, type Safe } from "./html.ts";
import type { Settings } from "./settings.ts";

/** Files that pages load, as paths below the base path. */
export type AssetPaths = Record<"stylesheet" | "script" | "holderScript" | "icon" | "preview", string>;

/** Links to the pages and files of this server. */
export type SiteLinks = Record<
  | "docs"
  | "openapi"
  | "markdown"
  | "llms"
  | "deprecation"
  | "calendar"
  | "about"
  | "holder"
  | "stylesheet"
  | "script"
  | "holderScript"
  | "icon"
  | "preview",
  Link
> & {
  /** Pages about people; null if this server has none. */
  people: Record<"home" | "leaderboard" | "search", Link> | null;
  /** The address of a path, with the base path. */
  to: (path: string) => Link;
};

/** `basePath` is the path of the server's public URL. */
export function siteLinks(basePath: string, assets: AssetPaths, hasPeople: boolean): SiteLinks {
  const to = (path: string): Link => link(basePath + path);
  return {
    docs: to("/docs"),
    openapi: to("/openapi.json"),
    markdown: to("/docs.md"),
    llms: to("/llms.txt"),
    deprecation: to("/deprecation"),
    calendar: to("/deprecation.json"),
    about: to("/about"),
    holder: to("/holder"),
    stylesheet: to(assets.stylesheet),
    script: to(assets.script),
    holderScript: to(assets.holderScript),
    icon: to(assets.icon),
    preview: to(assets.preview),
    people: hasPeople ? { home: to("/"), leaderboard: to("/leaderboard"), search: to("/search") } : null,
    to,
  };
}

type Page = {
  title: string;
  description: string;
  links: SiteLinks;
  current: "leaderboard" | "docs" | "deprecation" | "about" | "holder" | null;
  /** Further elements of the head, such as the canonical address. */
  head?: Safe;
  /** A line above the content, on pages that do not state the deprecation themselves. */
  strip: Safe | null;
  main: Safe;
  /** The header has a search field, unless the page has one itself. */
  hasSearch?: boolean;
};

const LOGO = html`<svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true"><path d="M0 1h11v4H0zM0 7h7v4H0zM0 13h18v4H0z"/></svg>`;

export const time = (date: Date): Safe => html`<time datetime="${date.toISOString()}">${formatDate(date)}</time>`;

export const alternate = (type: string, url: Link): Safe => html`<link rel="alternate" type="${type}" href="${url}">
`;

/** States the deprecation in one line, or that V1 is switched off for now. */
export const deprecationStrip = (
  { deprecatedAt, sunsetAt }: Settings,
  links: SiteLinks,
  offUntil: Date | null = null,
): Safe =>
  html`<div class="strip in"><p>${
    offUntil !== null &&
    html`<b>The V1 API is switched off until <time datetime="${offUntil.toISOString()}">${formatDate(offUntil)}${
      formatTime(offUntil) === "00:00 UTC" && ", 00:00 UTC"
    }</time>.</b> These pages go on working. `
  }This is V1, which is deprecated as of ${time(deprecatedAt)}${
    sunsetAt !== null && html` and ends on ${time(sunsetAt)}`
  }. Its data may be out of date. <a href="${links.deprecation}">What this means</a></p></div>
`;

export function layout({ title, description, links, current, head, strip, main, hasSearch = true }: Page): Safe {
  const entry = (name: Page["current"], url: Link, text: string): Safe =>
    name === current ? html`<a href="${url}" aria-current="page">${text}</a>` : html`<a href="${url}">${text}</a>`;
  const { people } = links;
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
<a class="mark" href="${people?.home ?? links.docs}">${LOGO}Credence</a>
<nav aria-label="Main">
${people !== null && entry("leaderboard", people.leaderboard, "Leaderboard")}
${entry("docs", links.docs, "API")}
${entry("deprecation", links.deprecation, "Deprecation")}
${entry("about", links.about, "About")}
${entry("holder", links.holder, "Your record")}
</nav>
${people !== null && hasSearch && searchField(people.search)}</div></div>
${strip}</header>
<main id="main">
${main}
</main>
<footer class="foot"><div class="in">
<p>A score is a signal, not a verdict.</p>
<nav aria-label="Footer">
<a href="${links.openapi}">openapi.json</a>
<a href="${links.markdown}">docs.md</a>
<a href="${links.llms}">llms.txt</a>
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
