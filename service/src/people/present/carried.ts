import { CARRIED_FIELDS, type CarriedField, type CarriedFields } from "@credence/contract/carried.ts";
import type { PersonPassport } from "@credence/contract/person.ts";

/**
 * The passport with exactly the carried fields beside those of V1; without a value they are null.
 * Passports that are prepared or read have this form: their fields tell what is carried.
 */
export function keepCarried(passport: PersonPassport, carried: CarriedFields): PersonPassport {
  if (carried.size === 0 && CARRIED_FIELDS.every((field) => carriedValue(passport, field) === undefined))
    return passport;
  const { verified = null, passport_profile, ...rest } = passport;
  const { name = null, image_url = null, ...profile } = passport_profile;
  return {
    ...rest,
    passport_profile: {
      ...profile,
      ...(carried.has("passport_profile.name") && { name }),
      ...(carried.has("passport_profile.image_url") && { image_url: isHttps(image_url) ? image_url : null }),
    },
    ...(carried.has("verified") && { verified }),
  };
}

export function carriedIn(passport: PersonPassport): CarriedFields {
  return new Set(CARRIED_FIELDS.filter((field) => carriedValue(passport, field) !== undefined));
}

/** The value of a carried field; undefined if the passport does not have it. */
export function carriedValue({ verified, passport_profile }: PersonPassport, field: CarriedField) {
  if (field === "verified") return verified;
  return field === "passport_profile.name" ? passport_profile.name : passport_profile.image_url;
}

/** Clients load the picture, so that other schemes could run code or reveal who looks. */
export const isHttps = (url: string | null): boolean => url !== null && /^https:\/\//i.test(url) && URL.canParse(url);
