import { HOLDER_KEY } from "./holders.ts";

/** `on`: the worker acts without the operator. */
export const HOLDER_ENVIRONMENT = { HOLDER_REQUESTS: "on", HOLDER_KEY };

export const post = (url: string, body: Record<string, string>, as: "form" | "json" = "json"): Promise<Response> =>
  fetch(url, {
    method: "POST",
    redirect: "manual",
    ...(as === "form"
      ? { body: new URLSearchParams(body) }
      : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
  });
