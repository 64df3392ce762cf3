import type Type from "typebox";
import { closed, momentOrNull, score, text, textOrNull } from "./fields.ts";

export const Credential = closed({
  id: text(),
  earned_at: textOrNull({
    description: "Text as it came from the source; normally a date-time.",
    examples: ["2024-01-15T00:00:00.000Z"],
    maxLength: 64,
  }),
  category: text({
    description: "An open list: new values may appear.",
    examples: ["Activity", "Identity", "Skills"],
  }),
  last_calculated_at: momentOrNull(),
  max_score: score(),
  score: score(),
  name: text(),
  type: text({
    description: "An open list of some sixty values: new ones may appear.",
    examples: ["active_wallet", "base_builder", "ens", "farcaster", "github", "gitcoin", "lens", "worldcoin"],
  }),
  value: textOrNull(),
});
export type Credential = Type.Static<typeof Credential>;
