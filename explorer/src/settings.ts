/** The parts of the server's configuration that pages show. */
export type Settings = {
  publicUrl: string;
  authMode: "optional" | "required" | "open";
  deprecatedAt: Date;
  sunsetAt: Date | null;
  brownouts: readonly { startsAt: Date; endsAt: Date }[];
  successorUrl: string | null;
};
