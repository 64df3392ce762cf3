import type { LimitedConnections } from "#core/http/connections/connection-limits.ts";
import type { ExplorerDeps } from "#explorer/pages/people-site.ts";
import type { HolderDeps } from "#holders/serve/holder-deps.ts";
import type { V1Deps } from "#v1/v1-deps.ts";

export type Phase = "serving" | "draining" | "closing";

/** The dependencies of the public port: what its features need. Nothing is global. */
export type Deps = V1Deps &
  ExplorerDeps &
  HolderDeps & {
    connections: LimitedConnections;
    /** Called for each request to a path that is no endpoint. */
    onUnknownPath: (path: string) => void;
    /** False until the schema of the database was checked. */
    isSchemaCurrent: () => boolean;
    /** `draining` once the process is asked to stop, `closing` once its port is closed. */
    phase: () => Phase;
  };
