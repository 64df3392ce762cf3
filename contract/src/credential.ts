import type Type from "typebox";
import { closed, dateTimeOrNull, score, text, textOrNull } from "./fields.ts";

export const Credential = closed(
  {
    id: text({
      description: "Identifies the credential. Unique within one passport; at most 256 characters.",
      examples: ["active_wallet"],
    }),
    earned_at: textOrNull({
      description:
        "When the credential was earned, as the text that was imported; normally a date-time. Null when not earned.",
      examples: ["2024-01-15T00:00:00.000Z"],
      maxLength: 64,
    }),
    category: text({
      description: "The component of the score that the credential counts towards. The set of values is open.",
      examples: ["Activity", "Identity", "Skills"],
    }),
    last_calculated_at: dateTimeOrNull({
      description: "When the points were last calculated, in UTC with milliseconds. Null when unknown.",
    }),
    max_score: score({
      description: "The normal maximum of `score`. May be a fraction; `score` may exceed it.",
      examples: [20],
    }),
    score: score({ description: "The points of the credential. May be 0, and may be a fraction.", examples: [15] }),
    name: text({ description: "The display name of the credential.", examples: ["Active wallet"] }),
    type: text({
      description: "The kind of credential. About 60 values; the set is open.",
      examples: ["active_wallet", "base_builder", "ens", "farcaster", "github", "gitcoin", "lens", "worldcoin"],
    }),
    value: textOrNull({
      description: "The measured value with its unit, as display text. Do not parse it. Null when there is no value.",
      examples: ["212 transactions"],
    }),
  },
  { description: "A scored item of a passport, in a category." },
);
export type Credential = Type.Static<typeof Credential>;
