// Apart from the schemas, which are slow to load.

/**
 * Fields that V1 does not have, but that clients of the original service read. A server carries none
 * of them unless its operator says so. There will be no others.
 */
export const CARRIED_FIELDS = ["verified", "passport_profile.name", "passport_profile.image_url"] as const;
export type CarriedField = (typeof CARRIED_FIELDS)[number];
/** The fields that a server carries. */
export type CarriedFields = ReadonlySet<CarriedField>;
