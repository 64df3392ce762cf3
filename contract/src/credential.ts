import type Type from "typebox";
import { closed, momentOrNull, score, text, textOrNull } from "./fields.ts";

export const Credential = closed(
  {
    id: text({
      description: "Identifies the credential. Unique within one passport; at most 256 characters.",
      examples: ["active_wallet"],
    }),
    earned_at: textOrNull({
      description:
        "When the credential was earned. Text as it was imported; normally a date-time. Null when not earned.",
      examples: ["2024-01-15T00:00:00.000Z"],
      maxLength: 64,
    }),
    category: text({
      description: "The part of the score the credential counts towards. An open list: new values may appear.",
      examples: ["Activity", "Identity", "Skills"],
    }),
    last_calculated_at: momentOrNull({
      description: "When the points were last calculated, in UTC with milliseconds. Null when unknown.",
    }),
    max_score: score({
      description: "The most points the credential normally gives. May be a fraction; `score` may exceed it.",
      examples: [20],
    }),
    score: score({ description: "The points the credential gives. May be 0, and may be a fraction.", examples: [15] }),
    name: text({ description: "The name of the credential, for people to read.", examples: ["Active wallet"] }),
    type: text({
      description: "The kind of credential. An open list of some sixty values: new ones may appear.",
      examples: ["active_wallet", "base_builder", "ens", "farcaster", "github", "gitcoin", "lens", "worldcoin"],
    }),
    value: textOrNull({
      description:
        "What was measured, as text with its unit. Not meant to be parsed. Null when there is nothing to show.",
      examples: ["212 transactions"],
    }),
  },
  { description: "A scored item of a passport, in a category." },
);
export type Credential = Type.Static<typeof Credential>;
