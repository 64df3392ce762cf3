/** Who runs this server. Null: the operator did not say. */
export type Operator = {
  name: string | null;
  /** An https: or mailto: address. */
  contact: string | null;
  privacyUrl: string | null;
};

/** The parts of the server's configuration that pages show. */
export type Settings = {
  publicUrl: string;
  authMode: "optional" | "required" | "open";
  deprecatedAt: Date;
  sunsetAt: Date | null;
  brownouts: readonly { startsAt: Date; endsAt: Date }[];
  successorUrl: string | null;
  /** Further paths of V1. */
  v1AlsoAt: readonly string[];
  operator: Operator;
};

/** Names the further paths of V1, in text with backticks; null if there are none. */
export function describeOtherPaths({ v1AlsoAt }: Pick<Settings, "v1AlsoAt">): string | null {
  if (v1AlsoAt.length === 0) return null;
  const paths = v1AlsoAt.map((path) => `\`${path}\``).join(", ");
  return `The same V1 is also at ${paths}, with the same responses: it is not another version.`;
}
