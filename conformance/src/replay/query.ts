/** The parameters of V1, and those that its clients send. */
export const V1_PARAMETERS = ["keyword", "page", "per_page", "passport_id"];

export type RemoveParameter = (name: string) => void;

/**
 * The query with only these parameters. Any other parameter could be a key, whatever its name is,
 * and the key of a client must not be sent to another server.
 */
export function cleanQuery(query: string, sentParameters: ReadonlySet<string>, onRemove: RemoveParameter): string {
  return query
    .split("&")
    .filter((part) => {
      const name = nameOf(part);
      if (sentParameters.has(name)) return true;
      if (part !== "") onRemove(isPrintable(part, name) ? name : "(masked)");
      return false;
    })
    .join("&");
}

export function nameOf(part: string): string {
  const [name = ""] = part.split("=", 1);
  try {
    return decodeURIComponent(name.replaceAll("+", " "));
  } catch {
    return name;
  }
}

// A name without a value, with digits or of a greater length could be a key.
const isPrintable = (part: string, name: string): boolean => part.includes("=") && /^[a-z][a-z_-]{0,19}$/i.test(name);
