import type { HolderAction } from "./holder-site.ts";

export type RequestState =
  | ("received" | "unverifiable" | "review" | "waiting")
  | ("done" | "refused" | "withdrawn" | "replaced");

/** A request of a holder, without the person. */
export type RequestView = {
  action: HolderAction;
  state: RequestState;
  note: string | null;
  receivedAt: Date;
  dueAt: Date | null;
  /** Also null if it was refused because the passport does not list the wallet. */
  completedAt: Date | null;
  availableUntil: Date | null;
  /** The states after the first, oldest first. */
  history: readonly { state: RequestState; at: Date }[];
};

const OPEN: readonly RequestState[] = ["received", "unverifiable", "review", "waiting"];

export const isOpen = (state: RequestState): boolean => OPEN.includes(state);
