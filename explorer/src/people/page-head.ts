import type { Frame } from "../frame.ts";
import { html, link, type Safe } from "../html.ts";
import { layout } from "../layout.ts";
import { HATCH } from "./parts.ts";

/** What pages about people need beside the people. */
export type Site = Frame & {
  /** Whether search engines may list pages. */
  isIndexed: boolean;
};

type PeoplePage = {
  /** The path with its query, without the base path. */
  path: string;
  title: string;
  description: string;
  current?: "leaderboard" | null;
  hasSearch?: boolean;
  hasStrip?: boolean;
  builtAt?: Date;
  main: Safe;
};

/** A page about people. Link previews need no script. */
export function peoplePage(site: Site, { path, current = null, ...page }: PeoplePage): Safe {
  const { title, description } = page;
  return layout(site, {
    ...page,
    main: html`${page.main}
${HATCH}`,
    title: `${title}: Credence`,
    current,
    head: pageHead(site, { path, title, description }),
  });
}

type Described = { path: string; title: string; description: string };

/** Previews need absolute addresses. */
export function pageHead({ settings, links, isIndexed }: Site, { path, title, description }: Described): Safe {
  const url = settings.publicUrl + path;
  const image = new URL(links.preview.toString(), settings.publicUrl).href;
  return html`${!isIndexed && html`<meta name="robots" content="noindex">\n`}<link rel="canonical" href="${link(url)}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="Credence">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
<meta property="og:url" content="${url}">
<meta property="og:image" content="${image}">
<meta property="og:image:width" content="1200">
<meta property="og:image:height" content="630">
<meta name="twitter:card" content="summary_large_image">
`;
}
