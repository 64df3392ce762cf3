import type { FastifyInstance } from "fastify";
import { addRoute } from "#core/http/respond/respond.ts";
import { STALE_RETRY } from "#life-cycle/state-and-headers.ts";
import { about } from "./about.ts";
import { badges } from "./badge.ts";
import { compare } from "./compare.ts";
import { home } from "./home.ts";
import { leaderboard } from "./leaderboard.ts";
import { passport } from "./passport.ts";
import { createListInfo, type ExplorerDeps, type PeopleDeps, redirectTo } from "./people-site.ts";
import { search } from "./search.ts";

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
      const enter = (): void => {
        const { state, isStale, unread } = lifeCycle();
        if (state === "gone") responder.respondError(reply, "gone");
        else if (isStale) responder.respondError(reply, "unavailable", STALE_RETRY);
        else if (unread !== null) unread().then(enter).catch(next);
        else next();
      };
      enter();
    });
    const peopleDeps: PeopleDeps = { ...deps, readListInfo: createListInfo(readers) };
    home(scope, peopleDeps);
    leaderboard(scope, peopleDeps);
    search(scope, peopleDeps);
    passport(scope, peopleDeps);
    compare(scope, peopleDeps);
  });
}
