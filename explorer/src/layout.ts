import { formatDate } from "./dates.ts";
import { html, type Link, link, type Safe } from "./html.ts";
import type { Settings } from "./reference.ts";

/** Links to the pages and files of this server. */
export type SiteLinks = Record<"docs" | "openapi" | "markdown" | "llms" | "stylesheet" | "icon", Link>;

/** `basePath` is the path of the server's public URL. */
export function siteLinks(basePath: string, assets: { stylesheet: string; icon: string }): SiteLinks {
  return {
    docs: link(`${basePath}/docs`),
    openapi: link(`${basePath}/openapi.json`),
    markdown: link(`${basePath}/docs.md`),
    llms: link(`${basePath}/llms.txt`),
    stylesheet: link(basePath + assets.stylesheet),
    icon: link(basePath + assets.icon),
  };
}

type Page = { title: string; description: string; links: SiteLinks; settings: Settings; main: Safe };

const LOGO = html`<svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true"><path d="M0 1h11v4H0zM0 7h7v4H0zM0 13h18v4H0z"/></svg>`;

const time = (date: Date): Safe => html`<time datetime="${date.toISOString()}">${formatDate(date)}</time>`;

export function layout({ title, description, links, settings, main }: Page): Safe {
  const { deprecatedAt, sunsetAt } = settings;
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
<link rel="alternate" type="text/markdown" href="${links.markdown}">
</head>
<body>
<a class="skip" href="${link("#main")}">Skip to content</a>
<header>
<div class="top"><div class="in">
<a class="mark" href="${links.docs}">${LOGO}Credence</a>
<nav aria-label="Main">
<a href="${links.docs}" aria-current="page">API reference</a>
<a href="${links.openapi}">openapi.json</a>
<a href="${links.markdown}">docs.md</a>
</nav>
</div></div>
<div class="strip in"><p>This is V1, which is deprecated as of ${time(deprecatedAt)}${
    sunsetAt !== null && html` and ends on ${time(sunsetAt)}`
  }. Its data may be out of date. <a href="${link("#deprecation")}">What this means</a></p></div>
</header>
<main id="main">
${main}
</main>
<footer class="foot"><div class="in">
<p>A score is a signal, not a verdict.</p>
<nav aria-label="Footer">
<a href="${links.openapi}">openapi.json</a>
<a href="${links.markdown}">docs.md</a>
<a href="${links.llms}">llms.txt</a>
</nav>
</div></footer>
</body>
</html>
`;
}
