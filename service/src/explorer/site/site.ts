import { hash } from "node:crypto";
import { readAssets } from "@credence/explorer/assets.ts";
import { type Frame, frameAt } from "@credence/explorer/frame.ts";
import { type SiteLinks, siteLinks } from "@credence/explorer/site-links.ts";
import type { Config } from "#core/config/config.ts";
import type { Responder } from "#core/http/respond/respond.ts";
import type { LifeCycle } from "#life-cycle/state-and-headers.ts";
import { prepareFile, type StaticFile } from "./static-files.ts";

/** What all pages share: the links between them, and the files that they load. */
export type HttpSite = {
  /** The path of PUBLIC_URL. A proxy removes it, so routes have no prefix; links in pages have it. */
  basePath: string;
  links: SiteLinks;
  assets: ReadonlyMap<string, StaticFile>;
  icon: StaticFile;
};

const IMMUTABLE = ["cache-control", "public, max-age=31536000, immutable"];

export function prepareSite({ publicUrl, hasExplorer }: Config): HttpSite {
  const basePath = new URL(publicUrl).pathname.replace(/\/+/g, "/").replace(/\/$/, "");
  const files = readAssets();
  const assets = new Map<string, StaticFile>();
  /** Assets are named after their content, so that browsers may cache them for ever. */
  const add = (stem: string, extension: string, bytes: Buffer, type: string): string => {
    const name = `${stem}.${hash("sha256", bytes, "hex").slice(0, 10)}.${extension}`;
    assets.set(name, prepareFile(bytes, type, IMMUTABLE));
    return `/assets/${name}`;
  };
  const stylesheet = add("explorer", "css", files.stylesheet, "text/css; charset=utf-8");
  const script = add("explorer", "js", files.script, "text/javascript; charset=utf-8");
  const holderScript = add("holder", "js", files.holderScript, "text/javascript; charset=utf-8");
  const icon = add("icon", "svg", files.icon, "image/svg+xml");
  const preview = add("preview", "png", files.preview, "image/png");
  const links = siteLinks(basePath, { stylesheet, script, holderScript, icon, preview }, hasExplorer);
  return { basePath, links, assets, icon: assets.get(icon.replace("/assets/", "")) as StaticFile };
}

/** What every page needs. */
export type SiteDeps = { config: Config; site: HttpSite; lifeCycle: () => LifeCycle; responder: Responder };

/** What pages have around their content, at this moment. */
export function frameOf({ config, site, lifeCycle }: Omit<SiteDeps, "responder">): Frame {
  const { state, from, until } = lifeCycle();
  return frameAt(config, site.links, { state, from: dateOrNull(from), until: dateOrNull(until) });
}

export const dateOrNull = (ms: number): Date | null => (Number.isFinite(ms) ? new Date(ms) : null);
