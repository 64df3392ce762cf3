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
  completedAt: Date | null;
  availableUntil: Date | null;
  /** The states after the first, oldest first. */
  history: readonly { state: RequestState; at: Date }[];
};

const OPEN: readonly RequestState[] = ["received", "unverifiable", "review", "waiting"];

/** Refused because the passport does not list the wallet: the only refusal whose time is not shown. */
export const isUnlisted = ({ state, completedAt }: Pick<RequestView, "state" | "completedAt">): boolean =>
  state === "refused" && completedAt === null;

export const isOpen = (state: RequestState): boolean => OPEN.includes(state);
