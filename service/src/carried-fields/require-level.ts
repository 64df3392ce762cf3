import type { Connection } from "#core/database/database.ts";

/** Higher levels are set by migrations. */
const MARKS = {
  nothing: { level: 1, reason: "" },
  "carried fields": {
    level: 2,
    reason: "it carries fields that V1 does not have, and this version would remove them.",
  },
} as const;

/** Sets or removes the breaking mark of carried fields. A mark of a migration stays. */
export async function updateRequiredProgram(connection: Connection, what: keyof typeof MARKS): Promise<void> {
  const { level, reason } = MARKS[what];
  const highest = MARKS["carried fields"].level;
  await connection.query("update required_program set level = $1, reason = $2 where level <= $3", [
    level,
    reason,
    highest,
  ]);
}
