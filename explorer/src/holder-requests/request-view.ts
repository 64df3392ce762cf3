import type { HolderAction } from "./holder-site.ts";
import type { Receipt } from "./receipt.ts";
import type { StoredRecord } from "./stored-record.ts";

export type RequestState =
  | ("received" | "unverifiable" | "review" | "waiting")
  | ("done" | "refused" | "withdrawn" | "replaced");

/** A request of a holder, without the person. */
export type RequestView = {
  action: HolderAction;
  state: RequestState;
  note: string | null;
  /** Refused because the wallet is not the main one of the passport. */
  isRefusedForMain: boolean;
  receivedAt: Date;
  dueAt: Date | null;
  completedAt: Date | null;
  availableUntil: Date | null;
  /** The states after the first, oldest first. */
  history: readonly { state: RequestState; at: Date }[];
};

/** What the holder signed. The browser sends it with each form, as the server stores it under no code. */
export type Signed = { message: string; action: HolderAction; passportId: number; address: string };

/** Receipt, state and result of a request. */
export type RequestPage = Receipt & {
  request: RequestView;
  /** Null if the page was reached with the code alone. */
  signed: Signed | null;
  /** The prepared data, for code and secret. */
  record: StoredRecord | null;
  /** Whether the secret does not fit the code. */
  isSecretWrong: boolean;
  now: Date;
};

const OPEN: readonly RequestState[] = ["received", "unverifiable", "review", "waiting"];

/** Refused because the passport does not list the wallet: the only refusal whose time is not shown. */
export const isUnlisted = ({ state, completedAt }: Pick<RequestView, "state" | "completedAt">): boolean =>
  state === "refused" && completedAt === null;

export const isOpen = (state: RequestState): boolean => OPEN.includes(state);

/** Data that was prepared and can be fetched. */
export const hasData = ({ action, state, availableUntil }: RequestView): boolean =>
  action === "see" && state === "done" && availableUntil !== null;
