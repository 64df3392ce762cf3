import type { FastifyInstance } from "fastify";
import { addRoute } from "#core/http/respond/respond.ts";
import { about } from "./about.ts";
import { badges } from "./badge.ts";
import { compare } from "./compare.ts";
import { home, leaderboard, search } from "./list-pages.ts";
import { passport } from "./passport.ts";
import { createListInfo, type ExplorerDeps, type PeopleDeps, redirectTo } from "./people-site.ts";

/** The explorer. With EXPLORER=off, only the pages that are not about people. */
export async function explorer(app: FastifyInstance, deps: ExplorerDeps): Promise<void> {
  const { config, site, responder, readers, lifeCycle } = deps;
  about(app, deps);
  badges(app, deps);
  if (!config.hasExplorer) {
    addRoute(app, "/", responder, () => redirectTo(`${site.basePath}/docs`));
    return;
  }
  await app.register(async (scope) => {
    scope.addHook("onRequest", (_request, reply, next) => {
      if (lifeCycle().state === "gone") responder.respondError(reply, "gone");
      else next();
    });
    const peopleDeps: PeopleDeps = { ...deps, readListInfo: createListInfo(readers) };
    home(scope, peopleDeps);
    leaderboard(scope, peopleDeps);
    search(scope, peopleDeps);
    passport(scope, peopleDeps);
    compare(scope, peopleDeps);
  });
}
