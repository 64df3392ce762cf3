import type { Settings } from "../src/settings.ts";

export const SETTINGS: Settings = {
  publicUrl: "https://v1.example/prefix",
  authMode: "optional",
  deprecatedAt: new Date("2025-03-31"),
  sunsetAt: new Date("2027-06-30T12:00:00Z"),
  brownouts: [
    { startsAt: new Date("2027-04-01T15:00:00Z"), endsAt: new Date("2027-04-01T15:05:00Z") },
    { startsAt: new Date("2027-06-23T15:00:00Z"), endsAt: new Date("2027-06-25T15:00:00Z") },
  ],
  v1AlsoAt: [],
  operator: { name: null, contact: "mailto:ops@v1.example", privacyUrl: null },
  successorUrl: "https://v2.example/api?a=1&b=2",
};
