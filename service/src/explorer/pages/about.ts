import { aboutPage } from "@credence/explorer/site/about-page.ts";
import { robotsText, securityText } from "@credence/explorer/site/well-known.ts";
import type { FastifyInstance } from "fastify";
import { VERSION } from "#core/config/version.ts";
import type { Content } from "#core/http/respond/content.ts";
import { addRoute, NotFound } from "#core/http/respond/respond.ts";
import { type Moment, pageFile, type StateFileDeps, stateFiles } from "#explorer/site/state-files.ts";
import { prepareFile } from "#explorer/site/static-files.ts";

const SHORT = ["cache-control", "public, max-age=300"];
const TEXT = "text/plain; charset=utf-8";

/** Who runs this server, for people and for programs. */
export function about(app: FastifyInstance, { config, site, responder }: StateFileDeps): void {
  const { operator, publicUrl } = config;
  const pages = { "/about": ({ frame }: Moment) => pageFile(aboutPage(frame, VERSION)) };
  stateFiles(app, { config, site, responder }, pages);
  const files = {
    "/robots.txt": prepareFile(robotsText(site.basePath), TEXT, SHORT),
    "/favicon.ico": site.icon,
  };
  for (const [path, file] of Object.entries(files)) {
    addRoute(app, path, responder, ({ headers }) => file(headers["accept-encoding"]));
  }
  addRoute(app, "/.well-known/security.txt", responder, (): Content => {
    const { contact } = operator;
    if (contact === null) throw new NotFound();
    const body = securityText(publicUrl, contact, new Date());
    return { status: 200, body, type: TEXT, caching: "fixed", headers: SHORT, isV1: false };
  });
}
