/** `cause` is the error if the check could not run. */
export type Check = {
  name: string;
  state: "ok" | "warning" | "problem";
  finding: string;
  advice?: string;
  /** The first people concerned. */
  passport_ids?: number[];
  cause?: unknown;
};

export type Finding = Omit<Check, "name">;

/** Older data gets a warning. */
export const OLD_STANDING_HOURS = 24;
