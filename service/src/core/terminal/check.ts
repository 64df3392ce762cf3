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

// Every finding that is not ok has advice.
export const ok = (finding: string): Finding => ({ state: "ok", finding });
export const warning = (finding: string, advice: string): Finding => ({ state: "warning", finding, advice });
export const problem = (finding: string, advice: string): Finding => ({ state: "problem", finding, advice });
export const notChecked = (reason: string): Finding => ok(`not checked: ${reason}`);

/** Changes of people that wait longer for the list get a warning. The age of the list alone means nothing. */
export const MAX_UNLISTED_HOURS = 2;
