import type { Conclusion, FieldType, OldClient } from "./old-client.ts";

export type Received = { status: number; body: string };

const SENTENCE = "Resource not found.";

const IS_TYPE: Record<FieldType, (value: unknown) => boolean> = {
  number: (value) => typeof value === "number",
  text: (value) => typeof value === "string",
  "text or null": (value) => value === null || typeof value === "string",
  list: Array.isArray,
  some: (value) => Array.isArray(value) && value.length > 0,
  defined: (value) => value !== undefined && value !== null,
};

/** What a client concludes from the responses to its targets. */
export function conclude(client: OldClient, responses: readonly Received[]): Conclusion {
  const used = client.triesInOrder ? [responses.find(isOk) ?? responses.at(-1)] : responses;
  const failed = used.find((response) => response !== undefined && !isOk(response));
  if (failed === undefined) {
    if (used.every((response) => hasFields(client, response?.body ?? ""))) return "works";
    return client.onMissing ?? (client.onFailure === "none" || client.reads === undefined ? "misled" : "error");
  }
  const isNone = takesForNone(client, failed);
  // V1 says that there is no such person, and the client understands it.
  if (client.isNobody && isNone && isNotFound(failed)) return "works";
  if (client.onFailure === "found") return "misled";
  return isNone ? "no passport" : "error";
}

const isOk = ({ status }: Received): boolean => status >= 200 && status < 300;

const isNotFound = ({ status, body }: Received): boolean => status === 404 && parse(body)?.code === "not_found";

function takesForNone({ onFailure }: OldClient, { status, body }: Received): boolean {
  if (onFailure === "sentence is none") return status === 404 && parse(body)?.error === SENTENCE;
  return onFailure === "none" || (onFailure === "404 is none" && status === 404);
}

function hasFields({ reads = {}, expects = {} }: OldClient, body: string): boolean {
  const read = (path: string): unknown =>
    path.split(".").reduce<unknown>((value, name) => Object(value)[name], parse(body));
  return (
    Object.entries(reads).every(([path, type]) => IS_TYPE[type](read(path))) &&
    Object.entries(expects).every(([path, isMet]) => isMet(read(path)))
  );
}

export function parse(body: string): Record<string, unknown> | null {
  try {
    return Object(JSON.parse(body));
  } catch {
    return null;
  }
}
