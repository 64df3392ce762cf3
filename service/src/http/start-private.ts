import { closeWhenIdle } from "./connections/closing.ts";
import { buildPrivateApp, type PrivateDeps } from "./private-app.ts";

export type RunningPrivate = { address: string; close: () => Promise<void> };

/** Opens the operators' port. */
export async function startPrivate(deps: PrivateDeps): Promise<RunningPrivate> {
  const app = await buildPrivateApp(deps);
  const address = await app.listen({ host: deps.config.privateHost, port: deps.config.privatePort });
  return { address, close: () => closeWhenIdle(app, () => app.server.closeAllConnections()) };
}
