import { type SiteLinks, siteLinks } from "../src/site-links.ts";

const ASSETS = {
  stylesheet: "/assets/explorer.0.css",
  script: "/assets/explorer.0.js",
  holderScript: "/assets/holder.0.js",
  icon: "/assets/icon.0.svg",
  preview: "/assets/preview.0.png",
};

export const linksFor = (basePath: string, hasPeople = true): SiteLinks => siteLinks(basePath, ASSETS, hasPeople);
