import { type Link, link } from "./html.ts";

/** Files that pages load, as paths below the base path. */
export type AssetPaths = Record<"stylesheet" | "script" | "holderScript" | "icon" | "preview", string>;

/** Links to the pages and files of this server. */
export type SiteLinks = Record<
  | "home"
  | "docs"
  | "openapi"
  | "markdown"
  | "llms"
  | "deprecation"
  | "dates"
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
  /** Pages about people; null if this server has none, or no more. */
  people: Record<"leaderboard" | "search", Link> | null;
  /** The address of a path, with the base path. */
  to: (path: string) => Link;
};

/** `basePath` is the path of the server's public URL. */
export function siteLinks(basePath: string, assets: AssetPaths, hasPeople: boolean): SiteLinks {
  const to = (path: string): Link => link(basePath + path);
  return {
    home: to("/"),
    docs: to("/docs"),
    openapi: to("/openapi.json"),
    markdown: to("/docs.md"),
    llms: to("/llms.txt"),
    deprecation: to("/deprecation"),
    dates: to("/deprecation.json"),
    calendar: to("/deprecation.ics"),
    about: to("/about"),
    holder: to("/holder"),
    stylesheet: to(assets.stylesheet),
    script: to(assets.script),
    holderScript: to(assets.holderScript),
    icon: to(assets.icon),
    preview: to(assets.preview),
    people: hasPeople ? { leaderboard: to("/leaderboard"), search: to("/search") } : null,
    to,
  };
}

/** Stands for a key in examples. */
export const PLACEHOLDER_KEY = "YOUR_KEY";

/** Within single quotes, only a single quote is special to a shell. */
export const curl = (url: string, withKey: boolean): string =>
  `curl -s${withKey ? ` -H 'X-API-KEY: ${PLACEHOLDER_KEY}'` : ""} '${url.replaceAll("'", "%27")}'`;
