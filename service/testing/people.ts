import type { Credential } from "@credence/contract/credential.ts";
import type { PassportDetail } from "@credence/contract/passport.ts";
import type { Person } from "@credence/contract/person.ts";

/** Returns an ordinary person with the fields of the arguments replaced. */
export function person(
  passportId: number,
  passport: Partial<PassportDetail> & { display_name?: string | null } = {},
  rest: { credentials?: Credential[] } = {},
): Person {
  const { display_name = `Person ${passportId}`, ...fields } = passport;
  return {
    passport: {
      activity_score: 1,
      identity_score: 2,
      skills_score: 3,
      score: 6,
      calculating_score: false,
      connections_count: 4,
      human_checkmark: true,
      last_calculated_at: "2024-07-29T15:51:28.071Z",
      main_wallet: null,
      passport_id: passportId,
      passport_profile: { bio: null, display_name, location: null, tags: [] },
      verified_wallets: [],
      merged: false,
      passport_socials: [],
      ...fields,
    },
    credentials: rest.credentials ?? [],
  };
}

export function credential(id: string, fields: Partial<Credential> = {}): Credential {
  return {
    id,
    earned_at: null,
    category: "Skills",
    last_calculated_at: null,
    max_score: 10,
    score: 5,
    name: `Credential ${id}`,
    type: "github",
    value: null,
    ...fields,
  };
}

export const wallet = (digit: number): string => `0x${digit.toString(16).padStart(40, "0")}`;
