import { dataPage, type StoredRecord } from "@credence/explorer/holder/data-page.ts";
import type { FastifyInstance } from "fastify";
import { JSON_TYPE } from "#http/respond/content.ts";
import { fileToSave, holderContent } from "./holder-content.ts";
import type { HolderDeps } from "./holder-deps.ts";
import { addPostRoute } from "./post-route.ts";
import { unknownContent } from "./show-state.ts";

/** The prepared data, for the code and the secret of the receipt. A program gets it as it is stored. */
export function showData(app: FastifyInstance, deps: HolderDeps): void {
  const { responder, holderSite, call } = deps;
  addPostRoute(app, "/holder/requests/data", responder, async (posted) => {
    const { code = "", secret = "", as } = posted.fields;
    const text = await call(posted.ip, (requests) => requests.fetch(code, secret));
    if (text === null) return unknownContent(deps, posted, "secret");
    if (posted.isJson || as === "file") return fileToSave("record.json", JSON_TYPE, text);
    return holderContent(dataPage(holderSite(), { code, secret, record: JSON.parse(text) as StoredRecord }));
  });
}
