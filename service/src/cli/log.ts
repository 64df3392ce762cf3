import { destination, type Logger, pino } from "pino";
import type { LogLevel } from "#config.ts";

/** JSON lines. Headers are never logged; should one slip in with an error, the key in it does not. */
export function createLog(level: LogLevel, fileDescriptor: 1 | 2): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      redact: ['*.headers["x-api-key"]', "*.headers.authorization", "*.headers.cookie"],
    },
    destination({ dest: fileDescriptor, sync: true }),
  );
}
