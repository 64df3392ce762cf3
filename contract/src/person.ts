import type { Credential } from "./credential.ts";
import type { PassportDetail } from "./passport.ts";

/**
 * One person as V1 shows them, the way people come in and go out: the answers of two endpoints side by side.
 * `operator` holds what V1 does not show; without it, what this server already knows of that kind stays.
 */
export type Person = {
  passport: PassportDetail;
  credentials: Credential[];
  operator?: { hidden?: boolean; merged_into?: number | null };
};
