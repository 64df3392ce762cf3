import type { Settings } from "../src/reference.ts";

export const SETTINGS: Settings = {
  publicUrl: "https://v1.example/prefix",
  authMode: "optional",
  deprecatedAt: new Date("2025-03-31"),
  sunsetAt: new Date("2027-06-30T12:00:00Z"),
  successorUrl: "https://v2.example/api?a=1&b=2",
};
