import { type DestinationStream, type Logger, pino } from "pino";
import type { LogLevel } from "#config.ts";
import { escapeUnprintable } from "#identity/unprintable.ts";

/** JSON lines. What is logged is chosen field by field, errors included: no request is ever logged whole. */
export function createLog(level: LogLevel, stream: DestinationStream): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: loggable },
    },
    { write: (line) => void stream.write(escapeUnprintable(line)) },
  );
}

/** What of an error may stand in a log. Not all of it: some errors carry the request they met, and that may hold a key. */
function loggable(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error };
  const { name, message, stack } = error;
  return { type: name, code: "code" in error ? error.code : undefined, message, stack };
}
